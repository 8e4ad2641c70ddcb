import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openServer } from '../../../src/server/start-service.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import type { LogEvent } from '../../../src/lib/log.ts'
import { readSettings, SETTINGS } from '../../../src/settings.ts'
import { toolEnvironment } from '../builds/materials.ts'
import { tempDir } from '../disk/temp-folder.ts'

export const ADMIN_PASSWORD = 'correct horse'

/** A service on a free port in a folder of its own, with a caller that logs in as admin. */
export interface TestService {
  readonly url: string
  readonly folder: string
  readonly repository: string
  readonly logged: readonly LogEvent[]
  fetch(path: string, init?: RequestInit & { as?: string | null }): Promise<Response>
  close(): Promise<void>
}

/** Starts the whole service over real folders and a real socket; closed when the test has finished. */
export async function startService(
  flags: readonly string[] = [],
  folder = tempDir(),
  { clock = Date.now }: { readonly clock?: Clock } = {},
): Promise<TestService> {
  const repository = join(folder, 'config-repo')
  const places = ['--config-repo', repository, '--state-dir', join(folder, 'state'), '--port', '0']
  const local = ['--local-materials', folder]
  const password = ['--admin-password', ADMIN_PASSWORD]
  // Nothing is polled unasked, unless a test says how often.
  const quiet = ['--material-interval', '24h']
  const settings = readSettings(
    SETTINGS.serve,
    [...places, ...local, ...password, ...quiet, ...flags],
    {},
  )
  const logged: LogEvent[] = []
  const server = await openServer(settings, {
    clock,
    log: (event) => logged.push(event),
    programPath: process.env['PATH'],
    toolEnvironment: toolEnvironment(folder),
  })
  const close = once(async () => server[Symbol.asyncDispose]())
  onTestFinished(close)
  return { url: server.url, folder, repository, logged, close, fetch: callerOf(server.url) }
}

/** Calls a service as admin, as another user, or without credentials. */
export function callerOf(url: string): TestService['fetch'] {
  return (path, { as = `admin:${ADMIN_PASSWORD}`, ...init } = {}) => {
    const headers = new Headers(init.headers)
    if (as !== null) headers.set('authorization', `Basic ${Buffer.from(as).toString('base64')}`)
    return fetch(`${url}${path}`, { redirect: 'manual', ...init, headers })
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => (done ??= action())
}
