"""Signatures of export files, made and verified by ssh-keygen(1).

The signature lies beside the file, in ssh-keygen's own form, so that it can be
verified without Rex: ssh-keygen -Y verify -n rex -f SIGNERS -I WHO -s FILE.sig < FILE
"""

from __future__ import annotations

import os
import subprocess
import tempfile

from rex.errors import Damaged, NotFound, RexError, UsageError

NAMESPACE = "rex"
_KEY_TYPES = ("ssh-", "ecdsa-", "sk-")
_WHO = "signer"


def _run(arguments: list[str], stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    source = open(stdin, "rb") if stdin else subprocess.DEVNULL
    try:
        return subprocess.run(["ssh-keygen", "-Y", *arguments], stdin=source, capture_output=True,
                              text=True, errors="replace", check=False)
    except FileNotFoundError as error:
        raise RexError("signatures need ssh-keygen", "it is not installed",
                       "install openssh-client") from error
    finally:
        if not isinstance(source, int):
            source.close()


def sign(path: str, key: str) -> str:
    """Sign a file with a private ssh key, or a public one whose private one an agent holds.

    Returns:
        The path of the new signature.
    Raises:
        UsageError: the key cannot be used.
    """
    signature = path + ".sig"
    if os.path.exists(signature):
        os.unlink(signature)
    done = _run(["sign", "-q", "-f", key, "-n", NAMESPACE, path])
    if done.returncode or not os.path.exists(signature):
        raise UsageError(f"{path} is written but not signed", _last_line(done.stderr),
                         f"sign it with: ssh-keygen -Y sign -n {NAMESPACE} -f KEY {path}")
    return signature


def verify(path: str, signers: str) -> str:
    """Make sure that one of the signers signed a file; who it was.

    Args:
        signers: a public key, or a file of allowed signers (ssh-keygen(1)).
    Raises:
        NotFound: there is no signature, or no such key.
        Damaged: the signature is of another file or by another key.
    """
    signature = path + ".sig"
    if path == "-" or not os.path.exists(signature):
        raise NotFound(f"no signature of {path}", f"{signature} is not there",
                       "the author makes it with: rex export --sign KEY; ask for it, or check without --signed-by")
    if not os.path.exists(signers):
        raise NotFound(f"no key {signers}")
    with tempfile.TemporaryDirectory(prefix="rex-") as work:
        allowed = _allowed_signers(signers, work)
        found = _run(["find-principals", "-f", allowed, "-s", signature])
        who = found.stdout.split("\n")[0].strip()
        if found.returncode or not who:
            raise Damaged(f"{path} is not signed by {signers}", _last_line(found.stderr))
        done = _run(["verify", "-f", allowed, "-I", who, "-n", NAMESPACE, "-s", signature], path)
        if done.returncode:
            raise Damaged(f"{path} is not what was signed", _last_line(done.stdout + done.stderr))
    return os.path.basename(signers) if who == _WHO else who


def _allowed_signers(path: str, work: str) -> str:
    """A file of allowed signers; one is made of a public key."""
    with open(path, encoding="utf-8", errors="replace") as file:
        line = file.read(1 << 16).strip()
    if not line.startswith(_KEY_TYPES):
        return path
    made = os.path.join(work, "signers")
    with open(made, "x", encoding="utf-8") as file:
        file.write(f'{_WHO} namespaces="{NAMESPACE}" {line.splitlines()[0]}\n')
    return made


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else ""
