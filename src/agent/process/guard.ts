import {
  type PipedProcess,
  ProcessNotStarted,
  startProcess,
} from '../../processes/piped-process.ts'
import type { JobUser } from './job-user.ts'

const AGAIN_MS = 1_000

/**
 * Waits for the end of its input, which comes when the agent is gone however it ended, and
 * then ends every process that carries the cookie. Those of a job user are ended at once: the
 * next agent's jobs run as the same user.
 */
const SCRIPT = `
exec >/dev/null 2>&1
user="$2"
marked() {
  grep -lsaF -e "$1" /proc/[0-9]*/environ
  [ -z "$user" ] || grep -lsE -e "^Uid:[[:space:]]+$user[[:space:]]" /proc/[0-9]*/status
}
end() { for file in $(marked "$2"); do pid=\${file#/proc/}; kill -"$1" "\${pid%/*}"; done; }
read -r _
if [ -n "$user" ]; then
  for round in 1 2 3; do end KILL "$1"; sleep 0.1; done
  exit
fi
end TERM "$1"
for second in 1 2 3; do [ -z "$(marked "$1")" ] || sleep 1; done
for second in 1 2 3 4 5 6 7 8 9; do [ -z "$(marked "$1")" ] || { end KILL "$1"; sleep 1; }; done
`

/**
 * A small process beside the agent that outlives it by seconds: when the agent is killed in
 * the middle of a job, it ends that job's processes. It is started again should it die.
 */
export class Guard implements Disposable {
  readonly #cookie: string
  readonly #user: JobUser | null
  #child: PipedProcess | null = null
  #isDisposed = false

  constructor(cookie: string, user: JobUser | null) {
    this.#cookie = cookie
    this.#user = user
    this.#start()
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    // Nothing of the user is left, and what comes now is another agent's.
    if (this.#user !== null) this.#child?.kill('SIGKILL')
    this.#child?.stdin.destroy()
    this.#child?.unref()
  }

  #start(): void {
    if (this.#isDisposed) return
    const child = trySh([SCRIPT, 'cairn-agent-guard', this.#cookie, String(this.#user?.uid ?? '')])
    this.#child = child
    if (child === null) return this.#startLater()
    child.stdout.destroy()
    child.stderr.destroy()
    child.once('error', () => this.#startLater())
    child.once('exit', () => this.#start())
  }

  #startLater(): void {
    setTimeout(() => this.#start(), AGAIN_MS).unref()
  }
}

/** Leads a group, because what ends the group of the agent must not reach it. */
function trySh(command: readonly string[]): PipedProcess | null {
  try {
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
    return startProcess('sh', ['-c', ...command], { env, cwd: '/', isGroup: true })
  } catch (error) {
    if (error instanceof ProcessNotStarted) return null
    throw error
  }
}
