import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { tempDir } from '../disk/temp-folder.ts'
import { findCommand } from './programs.ts'
import { rootFile } from './root-file.ts'
import { STAND_INS } from './stand-ins.ts'

const run = promisify(execFile)

/**
 * The folders that a machine has to itself. Everything else belongs to the machine that runs the
 * tests.
 */
const OWN_FOLDERS = ['/srv', '/etc', '/opt', '/var/lib', '/var/log', '/run', '/tmp']
/**
 * The parts of this project that are built and installed; packages are found in the folder above.
 */
const CLONED = ['dist', 'scripts', 'deploy', 'package.json']
/** Where the stand-ins are, which is in place of `/usr/local/bin`. */
const BIN = '/opt/bin'

/** A network without a way out, in which machines have these addresses. Root alone may make one. */
export class Network {
  readonly #holder: ChildProcess

  private constructor(holder: ChildProcess) {
    this.#holder = holder
  }

  static async open(addresses: readonly string[] = []): Promise<Network> {
    const up = ['ip link set lo up', ...addresses.map((each) => `ip addr add ${each}/32 dev lo`)]
    const script = [...up, 'echo up', 'exec sleep infinity'].join('\n')
    const holder = spawn('unshare', ['--net', 'sh', '-ec', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void holder.kill('SIGKILL'))
    for await (const text of holder.stdout) if (String(text).includes('up')) break
    return new Network(holder)
  }

  /** A machine with nothing on it but a clone of this project, in `/opt/clone`. Shared is a folder that it mounts on `/srv`. */
  machine({ shared = tempDir() }: { readonly shared?: string } = {}): Machine {
    const machine = new Machine(this.#holder.pid ?? 0, shared)
    onTestFinished(() => machine.endAll())
    return machine
  }
}

/** The part of a container that its engine starts. */
export interface Container {
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly user?: string
}

/** Leaves the same as the package of PostgreSQL: a running server, and its user. */
export const INSTALL_DATABASE = `
id postgres > /dev/null 2>&1 || useradd --system postgres
install -d -o nobody -m 0700 /var/lib/database
runuser -u nobody -- initdb --pgdata /var/lib/database --username postgres --auth trust --no-sync
`

export class Machine {
  readonly #network: number
  readonly #folder = tempDir()
  readonly #shared: string

  constructor(network: number, shared: string) {
    this.#network = network
    this.#shared = shared
    for (const folder of OWN_FOLDERS) mkdirSync(this.path(folder), { recursive: true })
    execFileSync('cp', ['-a', '/etc/.', this.path('/etc')])
    chmodSync(this.path('/tmp'), 0o1777)
    chmodSync(shared, 0o755)
    for (const folder of [
      '/var/log/nginx',
      '/var/lib/nginx',
      '/opt/bin',
      '/opt/clone',
      '/opt/node_modules',
      '/var/lib/services',
    ])
      mkdirSync(this.path(folder))
    for (const name of CLONED)
      cpSync(rootFile(name), join(this.path('/opt/clone'), name), { recursive: true })
    for (const [name, text] of Object.entries(STAND_INS))
      writeFileSync(join(this.path(BIN), name), text, { mode: 0o755 })
  }

  /** Where a file of this machine lies. */
  path(file: string): string {
    return file.startsWith('/srv') ? join(this.#shared, file.slice(4)) : join(this.#folder, file)
  }

  /** Runs what an operator types as root, in a clone of this project; a command that fails ends it. Returns its output. */
  async run(script: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const mounts = [
      `mount --bind ${rootFile('node_modules')} ${this.path('/opt/node_modules')}`,
      ...OWN_FOLDERS.map((folder) => `mount --rbind ${this.path(folder)} ${folder}`),
      'cd /opt/clone',
      'exec bash --norc -euo pipefail -c "$1"',
    ]
    const typed = script.replaceAll('/usr/local/bin/', `${BIN}/`)
    const apart = ['unshare', '--mount', 'sh', '-ec', mounts.join('\n'), 'sh', typed]
    const postgresql = findCommand('postgres')
    const path = [BIN, process.env['PATH'], postgresql?.replace(/\/[^/]*$/, '') ?? '']
    const { stdout } = await run('nsenter', [`--net=/proc/${this.#network}/ns/net`, ...apart], {
      env: { PATH: path.join(':'), HOME: '/tmp', ...env },
    })
    return stdout
  }

  /**
   * Starts the program of the image as a container does: with processes of its own, these variables alone, nothing
   * of the image that can be written and, mostly, no rights.
   */
  async start(name: string, { args, environment, user = 'nobody' }: Container): Promise<void> {
    const given = Object.entries(environment).map(([key, value]) => quoted(`${key}=${value}`))
    const command = ['node', '/opt/clone/dist/main.js', ...args].map(quoted)
    const apart = 'setsid unshare --pid --fork --kill-child --mount-proc'
    const line = `${apart} runuser -u ${user} -- env -i PATH="$PATH" ${[...given, ...command].join(' ')}`
    const log = `/var/lib/services/${name}.log`
    await this.run(`mount -o remount,bind,ro /etc
      mount -o remount,bind,ro /opt
      ${line} < /dev/null > ${log} 2>&1 & echo $! >> /var/lib/services/started`)
  }

  /** Installs PostgreSQL, for everybody in the network. */
  async installDatabase(owner: string): Promise<void> {
    await this.run(`${INSTALL_DATABASE}
      echo 'host all all all trust' >> /var/lib/database/pg_hba.conf
      echo "listen_addresses = '*'" >> /var/lib/database/postgresql.conf
      systemctl restart postgresql
      createuser -h /tmp -U postgres ${owner}
      createdb -h /tmp -U postgres --owner ${owner} cairn`)
  }

  /** The log of a service of this machine. */
  log(service: string): string {
    const file = this.path(`/var/lib/services/${service}.log`)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  /** Ends every service, as a power cut does. */
  endAll(): void {
    const file = this.path('/var/lib/services/started')
    if (!existsSync(file)) return
    for (const group of readFileSync(file, 'utf8').trim().split('\n')) {
      try {
        process.kill(-Number(group), 'SIGKILL')
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
      }
    }
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
