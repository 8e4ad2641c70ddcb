import { spawnSync } from 'node:child_process'

/** Enters a group of its own below the one of this process, and removes it at the end. */
const TRIAL = `
  mount=$(findmnt --noheadings --first-only --types cgroup2 --output TARGET) || exit 1
  own="$mount$(sed -n 's/^0:://p' /proc/self/cgroup)"
  mkdir "$own/trial-$$" || exit 1
  sh -c 'echo $$ >"$1/cgroup.procs"' sh "$own/trial-$$"
  entered=$?
  rmdir "$own/trial-$$"
  exit $entered`

/** Whether processes of this user may make control groups here; few containers let them. */
export function mayMakeControlGroups(): boolean {
  return spawnSync('sh', ['-c', TRIAL], { stdio: 'ignore' }).status === 0
}

/** The groups of a test's agents: their folders below every place where groups are. */
export function findAgentGroups(agent: string): string[] {
  const script = `find $(findmnt --noheadings --types cgroup2 --output TARGET) -name "cairn-$1*"`
  const { stdout } = spawnSync('sh', ['-c', script, 'sh', agent], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line !== '')
}

const SHUT =
  'mount --options remount,bind,ro "$(findmnt --noheadings --first-only --types cgroup2 --output TARGET)" && exec "$@"'

/** The beginning of a command line whose program may make no control groups. */
export const WITHOUT_CONTROL_GROUPS = ['unshare', '--mount', 'sh', '-c', SHUT, 'sh'] as const
