"""Pure functions over text: counting, indexing, splitting, dating, redacting, cleaning, naming."""
