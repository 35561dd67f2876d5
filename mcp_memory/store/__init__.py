"""Where memory lives: the journal that acknowledges, the LanceDB tables that keep, the locks between processes."""

import os

# LanceDB reads it when it is imported, and would warn on stderr of every table that it is told to make
os.environ.setdefault("LANCEDB_LOG", "error")
