import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './free-port.ts'
import { findCommand } from './programs.ts'

const NOBODY = 65_534

// PostgreSQL refuses to run as root.
const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** The data of a new server, made once in this process: a copy takes a tenth of the time. */
let template: string | null = null

/** A PostgreSQL server in a temporary folder, gone with its data when the test is over. */
export class PostgresCluster implements AsyncDisposable {
  readonly #folder: string
  #server: ChildProcess
  readonly #port: number
  readonly #isSynced: boolean
  #databases = 0

  private constructor(server: ChildProcess, { folder, port, isSynced }: Place) {
    this.#folder = folder
    this.#server = server
    this.#port = port
    this.#isSynced = isSynced
  }

  /** A test needs nothing on disk before the next one, unless it asks how long that takes. */
  static async start({ isSynced = false } = {}): Promise<PostgresCluster> {
    template ??= newTemplate()
    const folder = newFolder()
    perform('cp', ['-a', dataIn(template), dataIn(folder)])
    const place = { folder, port: await freePort(), isSynced }
    return new PostgresCluster(await serve(place), place)
  }

  /** Stops the server, and keeps its data. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#server.once('exit', resolve))
    this.#server.kill('SIGINT')
    await ended
  }

  /** New tables lie in a folder from now on, which has to be one where everybody may go. */
  useTablespace(parent: string): void {
    const folder = join(parent, 'tables')
    mkdirSync(folder)
    if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
    this.#ask(`CREATE TABLESPACE elsewhere LOCATION '${folder}'`)
    this.#ask('ALTER DATABASE postgres SET default_tablespace = elsewhere')
  }

  async startAgain(): Promise<void> {
    const [folder, port, isSynced] = [this.#folder, this.#port, this.#isSynced]
    this.#server = await serve({ folder, port, isSynced })
  }

  /** The address of a schema of its own; nothing is in it yet. */
  freshSchema(): string {
    this.#databases += 1
    const name = `cairn_${this.#databases}`
    this.#ask(`CREATE SCHEMA ${name}`)
    return `postgres://cairn@127.0.0.1:${this.#port}/postgres?search_path=${name}`
  }

  #ask(statement: string): void {
    const psql = ['-h', '127.0.0.1', '-p', `${this.#port}`, '-U', 'cairn', 'postgres']
    perform(command('psql'), [...psql, '-c', statement])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.exitCode === null) await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function newTemplate(): string {
  const folder = newFolder()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const init = ['-D', dataIn(folder), '-A', 'trust', '-U', 'cairn', '-E', 'UTF8', '--no-sync']
  perform(command('initdb'), init)
  return folder
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-postgres-'))
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
  return folder
}

function dataIn(folder: string): string {
  return join(folder, 'data')
}

function perform(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { ...account, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`)
}

interface Place {
  readonly folder: string
  readonly port: number
  readonly isSynced: boolean
}

async function serve({ folder, port, isSynced }: Place): Promise<ChildProcess> {
  const options = ['-D', dataIn(folder), '-k', folder, '-h', '127.0.0.1', '-p', `${port}`]
  const server = spawn(command('postgres'), [...options, ...(isSynced ? [] : ['-F'])], {
    ...account,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await readiness(server)
  return server
}

function command(name: string): string {
  const file = findCommand(name)
  if (file === null) throw new Error(`${name} is not installed`)
  return file
}

async function readiness(server: ChildProcess): Promise<void> {
  if (!server.stderr) throw new Error('postgres has no standard error')
  const lines: string[] = []
  for await (const line of createInterface(server.stderr)) {
    lines.push(line)
    if (line.includes('ready to accept connections')) {
      server.stderr.resume()
      return
    }
  }
  throw new Error(`postgres did not start: ${lines.join('\n')}`)
}
