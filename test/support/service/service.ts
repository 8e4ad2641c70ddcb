import { join } from 'node:path'
import { openInProcess, openServer } from '../../../src/server/start-service.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import type { LogEvent } from '../../../src/lib/log.ts'
import { PASSWORD_COST } from '../../../src/security/password.ts'
import { readSettings } from '../../../src/settings/read-settings.ts'
import { SETTINGS } from '../../../src/settings/settings.ts'
import { toolEnvironment } from '../builds/materials.ts'
import { tempDir } from '../disk/temp-folder.ts'
import { atEnd } from '../programs/at-end.ts'

export const ADMIN_PASSWORD = 'correct horse'
/** The least that bcrypt takes: a tenth of a second less for each service that is opened and called. */
export const QUICK_COST = 4
/** Where a request of this process says that it goes. */
const IN_PROCESS = 'http://127.0.0.1'

/** A service in a folder of its own, with a caller that logs in as admin. */
export interface CalledService {
  readonly folder: string
  readonly repository: string
  readonly logged: readonly LogEvent[]
  fetch(path: string, init?: RequestInit & { as?: string | null }): Promise<Response>
  close(): Promise<void>
}

/** A service on a free port. */
export interface TestService extends CalledService {
  readonly url: string
}

export interface TestServiceOptions {
  readonly clock?: Clock
  /** The time for which the service has run; the clock when absent. */
  readonly uptime?: Clock
  /** Whether passwords take as much work as they do where the program runs. */
  readonly hasUsualPasswords?: boolean
}

/** Starts the whole service over real folders and a real socket; closed with the test, or the suite that shares it. */
export async function startService(
  flags: readonly string[] = [],
  folder = tempDir(),
  options: TestServiceOptions = {},
): Promise<TestService> {
  const { settings, environment, ...places } = setUp(flags, folder, options)
  const server = await openServer(settings, environment)
  const close = closeOnce(server)
  return { ...places, url: server.url, close, fetch: callerOf(server.url) }
}

/** The whole service over real folders without a socket: calls are answered in this process. */
export async function openService(
  flags: readonly string[] = [],
  folder = tempDir(),
  options: TestServiceOptions = {},
): Promise<CalledService> {
  const { settings, environment, ...places } = setUp(flags, folder, options)
  const service = await openInProcess({ ...settings, state: null }, environment)
  const close = closeOnce(service)
  const fetch = callerBy((path, init) => service.answer(new Request(`${IN_PROCESS}${path}`, init)))
  return { ...places, close, fetch }
}

function setUp(
  flags: readonly string[],
  folder: string,
  { clock = Date.now, uptime = clock, hasUsualPasswords = false }: TestServiceOptions,
) {
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
  const environment = {
    clock,
    uptime,
    log: (event: LogEvent) => void logged.push(event),
    programPath: process.env['PATH'],
    toolEnvironment: toolEnvironment(folder),
    passwordCost: hasUsualPasswords ? PASSWORD_COST : QUICK_COST,
  }
  return { settings, environment, folder, repository, logged }
}

function closeOnce(service: AsyncDisposable): () => Promise<void> {
  const close = once(async () => service[Symbol.asyncDispose]())
  atEnd(close)
  return close
}

/** Calls a service as admin, as another user, or without credentials. */
export function callerOf(url: string): CalledService['fetch'] {
  return callerBy((path, init) => fetch(`${url}${path}`, { redirect: 'manual', ...init }))
}

function callerBy(
  send: (path: string, init: RequestInit) => Promise<Response>,
): CalledService['fetch'] {
  return (path, { as = `admin:${ADMIN_PASSWORD}`, ...init } = {}) => {
    const headers = new Headers(init.headers)
    if (as !== null) headers.set('authorization', `Basic ${Buffer.from(as).toString('base64')}`)
    return send(path, { ...init, headers })
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => (done ??= action())
}
