import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DocumentCache } from '../../../src/configuration/current/document-cache.ts'
import { DocumentThread } from '../../../src/configuration/current/document-thread.ts'
import { KeptFacts } from '../../../src/configuration/current/kept-facts.ts'
import { type ConfigDocument, readDocument } from '../../../src/document/document.ts'
import { memberTextOf } from '../../../src/document/model/member-text.ts'
import { SecretBox } from '../../../src/document/secrets/secret-box.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'
import {
  aConfiguration,
  dependency,
  element,
  git,
} from '../../support/documents/a-configuration.ts'
import { documentWith } from '../../support/documents/documents.ts'

const PROGRAM = 'one program'
const NAMES = Array.from({ length: 800 }, (_, n) => `pipeline-${n}`)
const LARGE = documentWith(...NAMES)
const stagesOf = (job: object) => [{ name: 'build', jobs: [{ name: 'j', ...job }] }]
/** A name twice, by which a document is not valid, in a text that has its members where the other one has. */
const REFUSED = LARGE.replaceAll('pipeline-799', 'pipeline-798')

/** Starts with a document as a program does, and ends; returns what it read, null where it refused it. */
async function start(file: string, text: string, program = PROGRAM): Promise<string | null> {
  const document = await documentAtStart(file, text, program)
  return document && valuesOf(document)
}

async function documentAtStart(file: string, text: string, program = PROGRAM) {
  await using facts = new KeptFacts({ file, program, log: () => {} })
  await using thread = new DocumentThread(new SecretBox([randomBytes(32)]))
  const cache = new DocumentCache(thread, { isRepeatable: false }, facts)
  const document = await cache.read(new TextEncoder().encode(text)).catch(() => null)
  if (document === null) return null
  facts.keep(document)
  return document
}

function factsIn(document: ConfigDocument | null) {
  const pipelines = document?.configuration.groups.flatMap((group) => group.pipelines) ?? []
  return pipelines.map((each) => memberTextOf(each)?.facts)
}

/** The values of a document that was read as a whole. */
function readWhole(text: string): string | null {
  const reading = readDocument(new TextEncoder().encode(text))
  return reading.ok ? valuesOf(reading.document) : null
}

/** All values of a configuration but the numbers of elements, which each reading gives anew. */
function valuesOf({ configuration }: ConfigDocument): string {
  return JSON.stringify(configuration, (name, value: unknown) => (name === 'at' ? null : value))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Makes the file say of a document that is not valid what it says of the one that is. */
function forge(file: string): void {
  const [, body = ''] = readFileSync(file, 'utf8').split('\n')
  const forged = body.replace(sha256(LARGE), sha256(REFUSED))
  writeFileSync(file, `${sha256(forged)}\n${forged}`)
}

describe('the facts about the document in force', () => {
  it('are taken at the next start in place of checking it again', async () => {
    using folder = new TempFolder()
    const file = folder.file('facts')

    expect(await start(file, LARGE)).toBe(readWhole(LARGE))
    expect(await start(file, LARGE)).toBe(readWhole(LARGE))
    forge(file)
    expect(await start(file, REFUSED)).not.toBeNull()
  })

  it('say of each pipeline what was found when it was checked', async () => {
    using folder = new TempFolder()
    const file = folder.file('facts')
    const kinds = [
      {},
      { stages: stagesOf({ attributes: { runOnAllAgents: true } }) },
      { stages: stagesOf({ tasks: [element('gradle')] }) },
      { materials: [dependency('pipeline-0', 'build')] },
      { materials: [git('https://git.example.org/a.git', { shallowClone: true })] },
    ]
    const pipelines = Array.from({ length: 1_600 }, (_, n) => ({
      name: `pipeline-${n}`,
      stages: stagesOf({}),
      ...kinds[n % kinds.length],
    }))
    const text = aConfiguration({ schemaVersion: 139, pipelines })
    const found = factsIn(await documentAtStart(file, text))

    expect(new Set(found.map((each) => JSON.stringify(each))).size).toBe(kinds.length)
    const plain = found.slice(0, kinds.length).map((each) => each?.isPlainBesideJobs)
    expect(plain).toEqual([true, true, true, true, false])
    expect(factsIn(await documentAtStart(file, text))).toEqual(found)
  })

  it('are none for another document, nor for another program', async () => {
    using folder = new TempFolder()
    const file = folder.file('facts')
    await start(file, LARGE)

    expect(await start(file, REFUSED)).toBeNull()
    forge(file)
    expect(await start(file, REFUSED, 'another program')).toBeNull()
    expect(await start(file, LARGE)).toBe(readWhole(LARGE))
    expect(await start(file, REFUSED)).toBeNull()
  })

  it.each([
    ['is damaged', (content: string) => content.replace(/.{4}"\}$/, 'AAAA"}')],
    ['is cut', (content: string) => content.slice(0, -100)],
    ['is empty', () => ''],
    ['says something else', () => `${sha256('{}')}\n{}`],
  ])('are none where the file %s', async (_, damage) => {
    using folder = new TempFolder()
    const file = folder.file('facts')
    await start(file, LARGE)
    forge(file)
    writeFileSync(file, damage(readFileSync(file, 'utf8')))

    expect(await start(file, REFUSED)).toBeNull()
    expect(await start(file, LARGE)).toBe(readWhole(LARGE))
  })
})
