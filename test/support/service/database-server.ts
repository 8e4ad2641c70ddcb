import { join } from 'node:path'
import { tempDir } from '../disk/temp-folder.ts'
import type { Program } from '../programs/program.ts'
import { start } from '../programs/start.ts'
import { placesIn } from './backups.ts'
import { ADMIN_PASSWORD, callerOf, type TestService } from './service.ts'

/** A server program over a database, in a folder of its own. */
export interface DatabaseServer extends Pick<TestService, 'fetch'> {
  readonly folder: string
  readonly program: Program
  readonly url: string
}

export function serveFlags(url: string, folder: string): string[] {
  const password = ['--admin-password', ADMIN_PASSWORD]
  return ['serve', '--port', '0', '--state', url, ...placesIn(folder), ...password]
}

/** Starts the program, and waits until it serves; it is killed with the test. */
export async function serveOver(database: string, folder = tempDir()): Promise<DatabaseServer> {
  const program = start(serveFlags(database, folder))
  const url = await program.line(/^cairn ready (\S+)\n$/)
  return { folder, program, url, fetch: callerOf(url) }
}

/** Where a server keeps the keys that every other one needs. */
export function keysIn(folder: string): string {
  return join(folder, 'state', 'secret.keys')
}
