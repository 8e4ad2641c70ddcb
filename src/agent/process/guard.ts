import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'

/**
 * Waits for the end of its input, which comes when the agent is gone however it ended, and
 * then ends every process that carries the cookie.
 */
const SCRIPT = `
marked() { grep -lsaF -e "$1" /proc/[0-9]*/environ; }
end() { for file in $(marked "$2"); do pid=\${file#/proc/}; kill -"$1" "\${pid%/environ}"; done; }
read -r _
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
  #child: ChildProcess

  constructor(cookie: string) {
    this.#cookie = cookie
    this.#child = this.#start()
  }

  [Symbol.dispose](): void {
    this.#child.removeAllListeners('exit')
    this.#child.stdin?.destroy()
    this.#child.unref()
  }

  #start(): ChildProcess {
    // Detached, because what kills the agent's process group must not reach the guard.
    const child = spawn('sh', ['-c', SCRIPT, 'cairn-agent-guard', this.#cookie], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    })
    child.stdin?.on('error', () => undefined)
    child.on('exit', () => {
      this.#child = this.#start()
    })
    return child
  }
}
