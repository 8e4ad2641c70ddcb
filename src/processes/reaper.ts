import { detach, type PipedProcess, ProcessNotStarted, startProcess } from './piped-process.ts'

const AGAIN_MS = 1_000

/**
 * Records process groups from its input (`+` and a group, `-` when its leader has ended) until that
 * input ends, which happens when the process that writes it is gone in any way. Then it kills these
 * groups, every marked process with the group that it leads (the writer may have been killed before it
 * could name that), and those of a control group, which it removes. Processes of a job user are killed
 * at once: the next agent's jobs run as the same user.
 */
const SCRIPT = `
exec >/dev/null 2>&1
mark="$1"
user="$2"
control="$3"
groups=" "
marked() {
  grep -lsaF -e "$mark" /proc/[0-9]*/environ
  [ -z "$user" ] || grep -lsE -e "^Uid:[[:space:]]+$user[[:space:]]" /proc/[0-9]*/status
}
members() {
  [ -z "$control" ] || find "$control" -name cgroup.procs -exec cat {} +
}
adopt() {
  for file in $(marked); do
    pid=\${file#/proc/}
    pid=\${pid%/*}
    kill -s 0 -- "-$pid" && groups="$groups$pid "
  done
}
remains() {
  kept=" "
  for group in $groups; do kill -s 0 -- "-$group" && kept="$kept$group "; done
  groups="$kept"
  [ "$groups" != " " ] || [ -n "$(marked; members)" ]
}
end() {
  for group in $groups; do kill -s "$1" -- "-$group"; done
  for pid in $(members); do kill -s "$1" "$pid"; done
  [ "$1" != KILL ] || [ ! -e "$control/cgroup.kill" ] || echo 1 >"$control/cgroup.kill"
  for file in $(marked); do pid=\${file#/proc/}; kill -s "$1" "\${pid%/*}"; done
}
leave() {
  [ -z "$control" ] || find "$control" -depth -type d -exec rmdir {} ';'
  exit
}
while read -r line; do
  group=\${line#?}
  case "$line" in
    +*) groups="$groups$group " ;;
    -*) case "$groups" in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
if [ -n "$user" ]; then
  for round in 1 2 3; do end KILL; sleep 0.1; done
  leave
fi
adopt
remains || leave
end TERM
for second in 1 2 3; do remains && sleep 1; done
for second in 1 2 3 4 5 6 7 8 9; do remains && { end KILL; sleep 1; }; done
leave
`

interface ReaperOptions {
  /** The user whose processes are all ended. */
  readonly user?: { readonly uid: number } | null
  /** The folder of a control group whose processes are all ended. */
  readonly controlGroup?: string | null
}

/**
 * A small process that outlives this one by seconds: when this one is killed, it ends the programs
 * that this one has started. One is enough for all of them. It is restarted if it dies.
 */
export class Reaper implements Disposable {
  readonly #mark: string
  readonly #user: { readonly uid: number } | null
  readonly #controlGroup: string | null
  readonly #groups = new Set<number>()
  #child: PipedProcess | null = null
  #isDisposed = false

  /** Ends the processes with the mark, and those that the options name. */
  constructor(mark: string, { user = null, controlGroup = null }: ReaperOptions = {}) {
    this.#mark = mark
    this.#user = user
    this.#controlGroup = controlGroup
    this.#start()
  }

  /** Also ends the group of a process, whose members may remove their mark. */
  watch(child: PipedProcess): void {
    const group = child.pid
    if (group === undefined) return
    this.#groups.add(group)
    this.#child?.stdin.write(`+${group}\n`)
    child.once('exit', () => {
      this.#groups.delete(group)
      this.#child?.stdin.write(`-${group}\n`)
    })
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    // No process of the user is left, and later ones belong to another agent.
    if (this.#user !== null) this.#child?.kill('SIGKILL')
    this.#child?.stdin.destroy()
  }

  #start(): void {
    if (this.#isDisposed) return
    const named = [this.#mark, String(this.#user?.uid ?? ''), this.#controlGroup ?? '']
    const child = trySh([SCRIPT, 'cairn-reaper', ...named])
    this.#child = child
    if (child === null) return this.#startLater()
    detach(child)
    for (const group of this.#groups) child.stdin.write(`+${group}\n`)
    child.once('error', () => this.#startLater())
    child.once('exit', () => this.#start())
  }

  #startLater(): void {
    setTimeout(() => this.#start(), AGAIN_MS).unref()
  }
}

/** Leads its own group, because a kill of its parent's group must not reach it. */
function trySh(command: readonly string[]): PipedProcess | null {
  try {
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
    return startProcess('sh', ['-c', ...command], { env, cwd: '/', isGroup: true })
  } catch (error) {
    if (error instanceof ProcessNotStarted) return null
    throw error
  }
}
