"""The command line: one file per subcommand; the only room that prints."""
