import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../disk/temp-folder.ts'
import type { Ended, Program, ProgramOptions } from '../programs/program.ts'
import { start } from '../programs/start.ts'
import { placesIn } from './backups.ts'
import { ADMIN_PASSWORD, callerOf, startService, type TestService } from './service.ts'

/** A server over a database, in a folder of its own. */
export type DatabaseServer = Pick<TestService, 'fetch' | 'folder' | 'url'>

/** A server that is a process of its own, so that it can be killed. */
export interface DatabaseProgram extends DatabaseServer {
  readonly program: Program
}

export function serveFlags(url: string, folder: string, port = 0): string[] {
  const password = ['--admin-password', ADMIN_PASSWORD]
  return ['serve', '--port', `${port}`, '--state', url, ...placesIn(folder), ...password]
}

/** Where a server listens, any free port when absent, which it also advertises; and what else it is told. */
interface Place {
  readonly port?: number
  readonly advertised?: string
  /** Settings besides those that every server has. */
  readonly flags?: readonly string[]
}

/** Starts a server in this process, which costs a tenth of a program; it is closed with the test. */
export function openOver(
  database: string,
  folder = tempDir(),
  { port = 0, advertised, flags = [] }: Place = {},
): Promise<TestService> {
  const place = ['--state', database, '--port', `${port}`]
  return startService([...place, ...advertising(advertised), ...flags], folder)
}

/** Starts the program, and waits until it serves; it is killed with the test. */
export async function serveOver(
  database: string,
  folder = tempDir(),
  { port, advertised, flags = [], ...options }: ProgramOptions & Place = {},
): Promise<DatabaseProgram> {
  const advertise = advertising(advertised)
  const program = start([...serveFlags(database, folder, port), ...advertise, ...flags], options)
  const url = await program.line(/^cairn ready (\S+)\n$/)
  return { folder, program, url, fetch: callerOf(url) }
}

function advertising(address: string | undefined): string[] {
  return address === undefined ? [] : ['--advertise', address]
}

/** Where a server keeps the keys that every other one needs. */
export function keysIn(folder: string): string {
  return join(folder, 'state', 'secret.keys')
}

/** The file in the folder of artifacts that says which database it belongs to. */
export function markerIn(folder: string): string {
  return join(folder, 'state', 'artifacts', '.cairn-database')
}

/** A folder for another server of the same database, with what all of them need. */
export function folderBeside({ folder }: Pick<DatabaseServer, 'folder'>): string {
  const other = tempDir()
  mkdirSync(join(other, 'state', 'artifacts'), { recursive: true })
  for (const file of [keysIn, markerIn]) copyFileSync(file(folder), file(other))
  return other
}

/** Ends a server as an operator does. */
export async function stop({ program }: DatabaseProgram): Promise<Ended> {
  program.process.kill('SIGTERM')
  return program.ended()
}

/** Ends a server as a power cut does. */
export async function kill({ program }: DatabaseProgram): Promise<void> {
  program.process.kill('SIGKILL')
  await program.ended()
}
