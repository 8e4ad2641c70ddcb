import { describe, expect, it, onTestFinished } from 'vitest'
import { ConfiguredAccess } from '../../../../src/configuration/access/access.ts'
import { ConfigServices } from '../../../../src/configuration/config-services.ts'
import { replayRules } from '../../../../src/configuration/gate/replay/replay-rules.ts'
import type { Objection } from '../../../../src/configuration/gate/rules/verdict.ts'
import { type Revision, revisionKindOf } from '../../../../src/core/revision.ts'
import { SecretBox } from '../../../../src/document/secrets/secret-box.ts'
import { PEOPLE } from '../../../support/gate/guarded-document.ts'
import { guardedHistory } from '../../../support/gate/guarded-history.ts'
import { indexOf } from '../../../support/history/history-index.ts'

/** Rules of each kind that the history can judge, some about few changes and some about many. */
const RULES = `version: 1
rules:
  - name: two-eyes
    match: { entity: [group/pay, pipeline in group/pay] }
    unless: { only: [comment, layout] }
    need:
      - { approvals: 1, of: admins of the group }
      - { approvals: 1, of: role/security, when: { path: [authorization] } }
    not: [author, contributor]
  - name: own-approval
    match: { entity: pipeline in group/web, change: [changed, removed] }
    need: [{ approvals: 1, of: admins of the group }]
  - name: payers-only
    match: { entity: pipeline/bill, path: [stage build, param] }
    effect: deny
    except: [role/payers, user/rick]
  - name: reasons
    match: { user: [root, ann] }
    need: [{ reason: required }]
  - name: live
    window: { weekly: "fri 16:00 - mon 07:00", zone: Europe/Berlin }
    match: { entity: environment/live and what runs in it }
    effect: deny
  - name: by-payers
    match: { role: payers, entity: "*", path: [material] }
    effect: warn
  - name: moves
    match: { change: [added, removed] }
    effect: warn
  - name: first-weeks
    window: { from: 2026-01-20, to: 2026-02-10, zone: UTC }
    match: { entity: [template/deploy, pipeline/s*] }
    need: [{ approvals: 2, of: admins }]
`

async function open(repository: string) {
  let now = 0
  const config = await ConfigServices.open({
    repository,
    fileName: 'config.xml',
    pollInterval: 60_000,
    clock: () => now,
    log: () => undefined,
    version: '1.0.0',
    pushCheck: null,
    programPath: process.env.PATH,
    box: new SecretBox([Buffer.alloc(32)]),
  })
  onTestFinished(() => config[Symbol.asyncDispose]())
  const { configuration, gate, history } = config
  const access = new ConfiguredAccess({
    configuration,
    usernames: () => PEOPLE,
    knowsEveryone: () => true,
  })
  gate.decideBy(access)
  const index = indexOf(history)
  await index.settle()
  return { config, access, entities: index.entities, at: (time: number) => void (now = time) }
}

/** The names of the rules that the gate says stand in the way of a change now, at the time of then. */
async function askedAnew(
  { config, at }: Awaited<ReturnType<typeof open>>,
  revision: Revision,
): Promise<string | null> {
  const { history, gate } = config
  const { username, time, message } = revision
  at(time)
  const after = await history.readDocument(revision)
  const answers: string[] = []
  for (const base of history.basesOf(revision)) {
    const older = history.findCommit(base)
    if (older === null) throw new Error('The base is no revision')
    const before = await history.readDocument(older)
    if (Buffer.compare(before, after) === 0) return null
    const origin =
      revisionKindOf(revision) === 'file-system'
        ? ({ door: 'live-file', author: username } as const)
        : ({ door: 'put', principal: { username } } as const)
    const findBeside = async () => ({
      oid: 'rules',
      read: async () => new TextEncoder().encode(RULES),
    })
    const { verdict } = await gate.assess({ before, after }, { origin, message, findBeside })
    const held = verdict.objections.filter(({ rule }) => rule !== 'delegation')
    if (held.length === 0) return null
    answers.push(namesOf(held))
  }
  return answers[0] ?? null
}

function namesOf(objections: readonly Pick<Objection, 'rule'>[]): string {
  return [...new Set(objections.map(({ rule }) => rule))].toSorted().join(' ')
}

async function compare(revisions: number, seed: number) {
  const opened = await open(guardedHistory(revisions, seed))
  const { config, access, entities } = opened
  const { history, cache, gate, summary } = config
  const deps = { history, cache, gate, summary, access, entities }
  const bytes = new TextEncoder().encode(RULES)
  const request = { bytes, since: null, limit: revisions }
  const replay = await replayRules(deps, { username: 'root' }, request)
  const found = new Map(replay.revisions.map((each) => [each.number, namesOf(each.objections)]))
  const expected = new Map<number, string>()
  for (let number = replay.to; number >= replay.from; number -= 1) {
    const revision = history.at(number)
    const names = revision && (await askedAnew(opened, revision))
    if (names !== null) expected.set(number, names)
  }
  return { replay, found, expected }
}

describe('a replay of rules over the history', () => {
  it('is equal to asking the gate for each change', async () => {
    const { replay, found, expected } = await compare(150, 7)

    expect(replay).toMatchObject({ isWhole: true, skipped: 0, from: 1 })
    expect([...found]).toEqual([...expected])
    expect(replay.heldUp).toBe(expected.size)
    for (const { name, heldUp } of replay.rules) {
      const own = [...expected.values()].filter((names) => names.split(' ').includes(name))
      expect([name, heldUp]).toEqual([name, own.length])
    }
    expect(replay.rules.filter(({ heldUp, warned }) => heldUp + warned === 0)).toEqual([])
    expect(replay.read).toBeLessThan(replay.changes)
  })

  it('is equal to it over 2,000 changes', { tags: ['long'], timeout: 600_000 }, async () => {
    const { found, expected } = await compare(2_000, 11)

    expect([...found]).toEqual([...expected])
  })
})
