import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compareRevisions } from '../../../src/builds/triggers/run-changes.ts'
import { MaterialPoller } from '../../../src/builds/materials/material-poller.ts'
import { runSync } from '../../../src/lib/cooperative.ts'
import { watchedMaterials } from '../../../src/builds/materials/watched-materials.ts'
import { git } from '../../support/documents/a-configuration.ts'
import { BuildsWorld } from '../../support/builds/builds.ts'
import { allowing, pipelinesOf, toolEnvironment } from '../../support/builds/materials.ts'
import { NO_SECRETS } from '../../support/builds/poller-secrets.ts'
import { gitOrigin } from '../../support/builds/source-origins.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

/** A poller whose git fetches only once a file is there. */
function openPoller(home: string) {
  const environment = toolEnvironment(home)
  const path = environment['PATH'] ?? ''
  const wait = `while [ ! -e ${home}/go ]; do sleep 0.02; done`
  const script = `#!/bin/sh\ncase "$*" in *fetch*) ${wait};; esac\nPATH="${path}" exec git "$@"\n`
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin', 'git'), script, { mode: 0o755 })
  const poller = new MaterialPoller({
    folder: join(home, 'materials'),
    interval: 600_000,
    first: 600_000,
    environment: { ...environment, PATH: `${home}/bin:${path}` },
    local: allowing(home),
    secrets: NO_SECRETS,
    log: () => undefined,
  })
  onTestFinished(() => poller[Symbol.asyncDispose]())
  return poller
}

async function open(url = 'the origin') {
  const home = tempDir()
  const origin = gitOrigin(join(home, 'origin'))
  const poller = openPoller(home)
  const materials = [git(url === 'the origin' ? origin.url : url, { branch: 'trunk' })]
  const watched = watchedMaterials(pipelinesOf({ pipelines: [{ name: 'p', materials }] }))
  runSync(poller.watch(watched))
  const world = await BuildsWorld.open()
  onTestFinished(() => world[Symbol.asyncDispose]())
  const { revision } = origin.material(1)
  const wanted = [{ fingerprint: watched[0]?.fingerprint ?? '', name: null, revision }]
  const compare = (timeoutMs: number) =>
    compareRevisions({ poller, builds: world.builds }, wanted, { newest: null, timeoutMs })
  return { compare, proceed: () => writeFileSync(join(home, 'go'), ''), revision }
}

describe('the changes of a run', () => {
  it('are noted later when they cannot be listed in time', async () => {
    const { compare, proceed, revision } = await open()

    const { revisions, changes, later } = await compare(20)
    const told = later()
    proceed()

    expect(revisions).toMatchObject([{ revision, fromRevision: revision, changed: true }])
    expect(changes).toEqual([])
    expect(await told).toMatchObject([{ modifications: [{ revision, comment: 'change' }] }])
  })

  it('are left out where they cannot be listed at all', async () => {
    const { compare, proceed, revision } = await open('/nowhere/at/all')
    proceed()

    const { revisions, changes, later } = await compare(20_000)

    expect(revisions).toMatchObject([{ fromRevision: revision, changed: true }])
    expect([changes, await later()]).toEqual([[], []])
  })
})
