"""Users and groups of the system, and who is in a group besides its owner."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=256)
def others_in(gid: int, uid: int) -> bool:
    """Whether a group has a member besides the user and root."""
    try:
        import grp
        import pwd

        group = grp.getgrgid(gid)
        users = {
            entry.pw_name: (entry.pw_uid, entry.pw_gid) for entry in pwd.getpwall()
        }
    except (ImportError, KeyError):
        return False
    members = {users.get(name, (-1, -1))[0] for name in group.gr_mem}
    members |= {own for own, primary in users.values() if primary == gid}
    return bool(members - {uid, 0, -1})


def group_name(gid: int) -> str:
    """The name of a group, else its number."""
    try:
        import grp

        return grp.getgrgid(gid).gr_name
    except (ImportError, KeyError):
        return str(gid)


def user_name(uid: int) -> str:
    """`user NAME`, else `user NUMBER`."""
    try:
        import pwd

        return f"user {pwd.getpwuid(uid).pw_name}"
    except (ImportError, KeyError):
        return f"user {uid}"
