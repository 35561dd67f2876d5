"""Language models: two providers' wire formats, one way to a valid reply, a budget around it."""
