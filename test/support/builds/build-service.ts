import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../../src/lib/clock.ts'
import { StageBody, StageHistoryBody } from '../../../src/wire/stage-body.ts'
import { aConfiguration, element, git } from '../documents/a-configuration.ts'
import { git as runGit } from '../git/git.ts'
import { KEY, ProtocolAgent } from '../agents/protocol-agent.ts'
import { save } from '../service/saving.ts'
import { ADMIN_PASSWORD, startService, type TestService } from '../service/service.ts'
import { tempDir } from '../disk/temp-folder.ts'

type Configured = NonNullable<Parameters<typeof aConfiguration>[0]>
/** The part of a service that a scene needs, in this process or another. */
type Called = Pick<TestService, 'url' | 'folder' | 'fetch' | 'close'>
type Pipelines = NonNullable<Configured['pipelines']>

/** Besides admin; everybody's password is the name. */
const USERS = ['olga', 'vera', 'pete', 'gina', 'ben']

/** A service with a git repository that its pipelines build, and what builds are asked about. */
export class BuildScene {
  readonly service: Called
  readonly origin: string

  private constructor(service: Called, origin: string) {
    this.service = service
    this.origin = origin
  }

  /** Pipelines without materials get the repository. */
  static async open(
    configured: Omit<Configured, 'pipelines'> & { readonly pipelines?: Pipelines } = {},
    flags: readonly string[] = [],
    clock: Clock = Date.now,
    uptime = clock,
  ): Promise<BuildScene> {
    const folder = tempDir()
    const origin = makeOrigin(join(folder, 'origin'))
    const users = writeUsers(folder)
    const key = ['--auto-register-key', KEY, '--users-file', users]
    const service = await startService([...key, ...flags], folder, { clock, uptime })
    const scene = new BuildScene(service, origin)
    await scene.configure(configured)
    return scene
  }

  /** A scene on a service that runs already. */
  static over(service: Called): BuildScene {
    return new BuildScene(service, makeOrigin(join(service.folder, 'origin')))
  }

  /** The same service, stopped and started again in the same folder. */
  async restart(more: readonly string[] = []): Promise<BuildScene> {
    const { folder } = this.service
    await this.service.close()
    const flags = ['--auto-register-key', KEY, '--users-file', join(folder, 'users'), ...more]
    return new BuildScene(await startService(flags, folder), this.origin)
  }

  /** An agent that goes on with this service. */
  agentLike({ uuid, token, instance }: ProtocolAgent): ProtocolAgent {
    return Object.assign(new ProtocolAgent(this.service, uuid), { token, instance })
  }

  async configure(configured: Configured): Promise<void> {
    const materials = [git(this.origin, { branch: 'main' })]
    const withMaterials = (pipelines: Pipelines = [{ name: 'app' }]) =>
      pipelines.map((pipeline) => ({ materials, ...pipeline }))
    const groups = configured.groups?.map((group) => ({
      ...group,
      pipelines: withMaterials(group.pipelines),
    }))
    const document = aConfiguration({
      ...configured,
      ...(groups ? { groups } : { pipelines: withMaterials(configured.pipelines) }),
    })
    const response = await save(this.service, document)
    if (!response.ok) throw new Error(await response.text())
  }

  /** Posts as a user; admin when none is named. */
  post(path: string, as?: string, body?: string | URLSearchParams): Promise<Response> {
    return this.service.fetch(path, {
      method: 'POST',
      ...(body === undefined ? {} : { body }),
      ...(as === undefined ? {} : { as: `${as}:${as}` }),
    })
  }

  get(path: string, as?: string): Promise<Response> {
    return this.service.fetch(path, as === undefined ? {} : { as: `${as}:${as}` })
  }

  async schedule(pipeline = 'app'): Promise<void> {
    const response = await this.post(`/api/pipelines/${pipeline}/schedule`)
    if (response.status !== 202) throw new Error(await response.text())
  }

  async stage(run = '1/1', stage = 'app/build'): Promise<StageBody> {
    return StageBody.parse(await jsonOf(await this.get(`/api/stages/${stage}/instance/${run}`)))
  }

  async history(stage = 'app/build', offset = ''): Promise<StageHistoryBody> {
    const response = await this.get(`/api/stages/${stage}/history${offset}`)
    return StageHistoryBody.parse(await jsonOf(response))
  }
}

export async function jsonOf(response: Response): Promise<unknown> {
  const body: unknown = await response.json()
  return body
}

export async function messageOf(response: Response): Promise<string> {
  return z.object({ message: z.string() }).parse(await jsonOf(response)).message
}

/** The status of each call, one after the other. */
export async function statusesOf(
  paths: readonly string[],
  call: (path: string) => Promise<Response>,
): Promise<Record<string, number>> {
  const statuses: [string, number][] = []
  for (const path of paths) statuses.push([path, (await call(path)).status])
  return Object.fromEntries(statuses)
}

/** A server element with security on, whose only administrator is admin. */
export const SECURED = element('server', {}, [
  element('security', {}, [
    element('passwordFile', { path: '/users' }),
    element('admins', {}, [element('user', {}, ['admin'])]),
  ]),
])

/** An authorization that lets vera view and olga operate. */
export const GUARDED = element('authorization', {}, [
  element('view', {}, [element('user', {}, ['vera'])]),
  element('operate', {}, [element('user', {}, ['olga'])]),
])

/** A repository of one commit in a new folder, which is returned. */
export function makeOrigin(folder: string): string {
  mkdirSync(folder)
  writeFileSync(join(folder, 'hello.txt'), 'hello\n')
  runGit(folder, 'init', '--quiet', '--initial-branch=main')
  runGit(folder, 'add', '.')
  runGit(folder, 'commit', '--quiet', '--message', 'Begin')
  return folder
}

function writeUsers(folder: string): string {
  const lines = USERS.map((name) => `${name}:{SHA}${sha(name)}\n`)
  const file = join(folder, 'users')
  writeFileSync(file, [`admin:{SHA}${sha(ADMIN_PASSWORD)}\n`, ...lines].join(''), { mode: 0o600 })
  return file
}

function sha(password: string): string {
  return createHash('sha1').update(password).digest('base64')
}
