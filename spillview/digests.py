"""Digests of names and short texts, as `hashlib` gives them.

`hashlib` loads a library of ciphers first, which takes a thirtieth of `spillview ls`;
Python's own code for the same digests is as fast for less than a few kilobytes.
"""

from __future__ import annotations

from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import blake2b, sha256
else:
    try:
        from _blake2 import blake2b

        try:
            from _sha2 import sha256
        except ImportError:  # Python 3.11
            from _sha256 import sha256
    except ImportError:  # an interpreter that was built without them
        from hashlib import blake2b, sha256

__all__ = ["blake2b", "sha256"]
