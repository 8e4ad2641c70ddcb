import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SecretBox } from '../../../src/document/secrets/secret-box.ts'
import { ConfiguredAccess } from '../../../src/configuration/access/access.ts'
import { AgentRegistrar } from '../../../src/agents/agent-registrar.ts'
import { ConfigServices } from '../../../src/configuration/config-services.ts'
import { saveDocument, type SaveRequest } from '../../../src/configuration/save/config-saving.ts'
import { aConfiguration } from '../../support/documents/a-configuration.ts'
import { indexOf } from '../../support/history/history-index.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const ADMIN = 'admin'

async function openConfiguration(): Promise<ConfigServices> {
  const config = await ConfigServices.open({
    repository: tempDir(),
    fileName: 'config.xml',
    pollInterval: 60_000,
    clock: Date.now,
    log: () => undefined,
    version: '1.0.0',
    pushCheck: null,
    programPath: process.env.PATH,
    box: new SecretBox([Buffer.alloc(32)]),
  })
  onTestFinished(() => config[Symbol.asyncDispose]())
  return config
}

const SETUP = { door: 'live-file', author: 'setup' } as const

/** Commits a configuration of one pipeline, and gives an edit that renames it. */
async function renaming({ writer }: ConfigServices): Promise<SaveRequest> {
  const text = aConfiguration({ pipelines: [{ name: 'before' }], agents: [{ uuid: 'listed' }] })
  const { revision } = await writer.change(SETUP, async () => Buffer.from(text))
  const document = Buffer.from(text.replace('"before"', '"after"'))
  return { door: 'put', document, basedOn: revision.digest }
}

/** Registers agents by their names. */
function enrolling({ editor }: ConfigServices): (uuid: string) => Promise<void> {
  const registrar = new AgentRegistrar({ editor, log: () => undefined })
  const place = { hostname: 'box', ipaddress: '127.0.0.1' }
  return (uuid) => registrar.enroll({ uuid, ...place, resources: [], environments: [] })
}

/** The authors of the revisions, oldest first: an administrator, or an agent for some of them. */
function authorsOf({ history }: ConfigServices): string[] {
  const newestFirst = history.list({ offset: 0, limit: history.size() })
  return newestFirst.map(({ username }) => username.replace(/_.*/, '')).toReversed()
}

describe('the agents that register themselves', () => {
  it('go together into the next commit, and a save waits for one such commit', async () => {
    const config = await openConfiguration()
    const { history, writer, cache, configuration, merge } = config
    const access = new ConfiguredAccess({
      configuration,
      usernames: () => [ADMIN],
      knowsEveryone: () => true,
    })
    config.gate.decideBy(access)
    const edited = await renaming(config)
    const enroll = enrolling(config)
    const first = enroll('a1')
    const second = ['b1', 'b2', 'b3'].map(enroll)
    const saved = saveDocument(
      { history, writer, cache, access, merge, entities: indexOf(history).entities },
      { username: ADMIN },
      edited,
    )
    const third = first.then(() => Promise.all(['c1', 'c2'].map(enroll)))
    await Promise.all([saved, ...second, third])

    expect(authorsOf(config)).toEqual(['Upgrade', 'setup', 'agent', ADMIN, 'agent'])
  })

  it('are all answered, also where one of them asks twice', async () => {
    const config = await openConfiguration()
    const enroll = enrolling(config)
    await renaming(config)

    await Promise.all(['a1', 'b1', 'b1', 'b1'].map(enroll))

    expect(authorsOf(config)).toEqual(['Upgrade', 'setup', 'agent', 'agent'])
  })

  it('are gathered for a moment after a commit', async () => {
    const config = await openConfiguration()
    const enroll = enrolling(config)
    await renaming(config)
    await enroll('a1')

    const second = enroll('b1')
    await nextTurn()
    await Promise.all([second, enroll('b2')])

    expect(authorsOf(config)).toEqual(['Upgrade', 'setup', 'agent', 'agent'])
  })
})
