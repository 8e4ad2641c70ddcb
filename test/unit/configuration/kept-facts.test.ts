import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DocumentCache } from '../../../src/configuration/current/document-cache.ts'
import { DocumentThread } from '../../../src/configuration/current/document-thread.ts'
import { KeptFacts } from '../../../src/configuration/current/kept-facts.ts'
import { type ConfigDocument, readDocument } from '../../../src/document/document.ts'
import { SecretBox } from '../../../src/document/secrets/secret-box.ts'
import { TempFolder } from '../../support/disk/temp-folder.ts'
import { documentWith } from '../../support/documents/documents.ts'

const PROGRAM = 'one program'
const NAMES = Array.from({ length: 800 }, (_, n) => `pipeline-${n}`)
const LARGE = documentWith(...NAMES)
/** A name twice, by which a document is not valid, in a text that has its members where the other one has. */
const REFUSED = LARGE.replaceAll('pipeline-799', 'pipeline-798')

/** Starts with a document as a program does, and ends; returns what it read, null where it refused it. */
async function start(file: string, text: string, program = PROGRAM): Promise<string | null> {
  await using facts = new KeptFacts({ file, program, log: () => {} })
  await using thread = new DocumentThread(new SecretBox([randomBytes(32)]))
  const cache = new DocumentCache(thread, { isRepeatable: false }, facts)
  const document = await cache.read(new TextEncoder().encode(text)).catch(() => null)
  if (document === null) return null
  facts.keep(document)
  return valuesOf(document)
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
    ['is damaged', (content: string) => content.replace(/\d{2}\]\}$/, '11]}')],
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
