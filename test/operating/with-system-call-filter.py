# Runs a command under the system call filter of a systemd unit, as systemd applies it (systemd.exec(5)):
#   python3 with-system-call-filter.py UNIT COMMAND [ARGUMENT]...
import os
import subprocess
import sys

import seccomp


def members(name):
    """The system calls of a group such as @system-service, or the one of that name."""
    if not name.startswith('@'):
        return {name}
    listing = subprocess.run(
        ['systemd-analyze', '--no-pager', 'syscall-filter', name], check=True, capture_output=True, text=True
    ).stdout.splitlines()[1:]
    words = [line.strip() for line in listing]
    return {call for word in words if word and not word.startswith('#') for call in members(word)}


unit, *command = sys.argv[1:]
allowed = members('@default')
with open(unit) as file:
    for line in file:
        key, _, value = line.strip().partition('=')
        if key != 'SystemCallFilter':
            continue
        calls = {call for word in value.lstrip('~').split() for call in members(word)}
        allowed = allowed - calls if value.startswith('~') else allowed | calls
rules = seccomp.SyscallFilter(defaction=seccomp.ERRNO(1))
for call in allowed:
    try:
        rules.add_rule(seccomp.ALLOW, call)
    except RuntimeError:
        pass  # not on this architecture
rules.load()
os.execvp(command[0], command)
