"""The command line: one file per subcommand; the only module that prints."""
