"""Where memory lives: the journal that acknowledges, the LanceDB tables that keep, the locks between processes."""
