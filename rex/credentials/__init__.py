"""Finds credentials: by the name of a variable, an option or a file, and by what a value looks like.

The rules are data, in `rules`. Nothing here reads an archive, and nothing returns or prints a
credential: a finding has its kind and its place.
"""

from rex.credentials.arguments import Argument, find_in_arguments, placeholder_for, redacted
from rex.credentials.files import KEY_FILE, SMALL_BYTES, find_in_data, find_in_file, kind_of_file
from rex.credentials.names import BY_NAME, credential_variables, names_credential
from rex.credentials.text import Finding, find, is_template, may_hold

__all__ = ["BY_NAME", "KEY_FILE", "SMALL_BYTES", "Argument", "Finding", "credential_variables", "find", "find_in_arguments", "find_in_data",
           "find_in_file", "kind_of_file", "is_template", "may_hold", "names_credential", "placeholder_for", "redacted"]
