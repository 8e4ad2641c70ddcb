import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../src/document/document.ts'
import { SecretBox } from '../../../src/document/secrets/secret-box.ts'
import { digestOf } from '../../../src/core/digest.ts'
import { DocumentCache } from '../../../src/configuration/current/document-cache.ts'
import { DocumentThread } from '../../../src/configuration/current/document-thread.ts'
import { aConfigurationInBytes, git } from '../../support/documents/a-configuration.ts'
import { documentWith } from '../../support/documents/documents.ts'
import { plainTree } from '../../support/git/plain-tree.ts'

const BOX = new SecretBox([randomBytes(32)])

function aCache(): DocumentCache & AsyncDisposable {
  const thread = new DocumentThread(BOX)
  const dispose = () => thread[Symbol.asyncDispose]()
  return Object.assign(new DocumentCache(thread), { [Symbol.asyncDispose]: dispose })
}

function largeDocument(): string {
  return documentWith(...Array.from({ length: 4_000 }, (_, n) => `pipeline-${n}`))
}

const SMALL = documentWith('small')
const VARIABLES = Array.from(
  { length: 8_000 },
  (_, n) => `<variable name="v${n}"><value>${n}</value></variable>`,
).join('\n')

/** Valid documents that a list of many pipelines does not make large. */
const LARGE_PIECES: Readonly<Record<string, string>> = {
  'a million lines without anything': SMALL.replace('</cruise>', `${'\n'.repeat(1e6)}</cruise>`),
  'a comment of a megabyte': SMALL.replace('</cruise>', `<!--${'x'.repeat(1e6)}--></cruise>`),
  'a pipeline of many variables': SMALL.replace(
    '<materials>',
    `<environmentvariables>${VARIABLES}</environmentvariables><materials>`,
  ),
  'an environment of many variables': SMALL.replace(
    '</cruise>',
    `<environments><environment name="e"><environmentvariables>${VARIABLES}</environmentvariables>
    </environment></environments></cruise>`,
  ),
}

/** How often others got a turn until something was done. */
async function turnsUntil(done: Promise<unknown>): Promise<number> {
  const state = { isDone: false }
  const end = () => {
    state.isDone = true
  }
  void done.then(end, end)
  let turns = 0
  for (; !state.isDone; turns += 1) await nextTurn()
  return turns
}

describe('the cache of documents', () => {
  it('lets others have their turn while it reads a large document', async () => {
    await using cache = aCache()
    const document = Buffer.from(largeDocument())
    const inspecting = cache.inspect(document)

    const turns = await turnsUntil(inspecting)

    expect(await inspecting).toMatchObject({ ok: true, schemaVersion: 75 })
    expect(turns).toBeGreaterThan(5)
    expect(cache.find(digestOf(document))?.configuration.groups[0]?.pipelines).toHaveLength(4_000)
  })

  it.each(Object.entries(LARGE_PIECES))(
    'lets others have their turn while it reads %s, and reads the same',
    { tags: ['long'] },
    async (_piece, document) => {
      await using cache = aCache()
      const bytes = Buffer.from(document)
      const whole = readDocument(bytes)
      if (!whole.ok) throw new Error(JSON.stringify(whole.problems))

      const inspecting = cache.inspect(bytes)
      const turns = await turnsUntil(inspecting)

      expect(await inspecting).toMatchObject({ ok: true, schemaVersion: 75 })
      expect(turns).toBeGreaterThan(100)
      const { root, lines, bytes: foundBytes, ...found } = await cache.read(bytes)
      const { root: wholeRoot, lines: wholeLines, bytes: _, ...expected } = whole.document
      expect(found).toEqual(expected)
      expect(bytes.equals(foundBytes)).toBe(true)
      expect(plainTree(root)).toEqual(plainTree(wholeRoot))
      expect(lines.positionOf(bytes.length)).toEqual(wholeLines.positionOf(bytes.length))
    },
  )

  it(
    'says all that is wrong with a large document as with a small one',
    { tags: ['long'] },
    async () => {
      await using cache = aCache()
      const document = Buffer.from(largeDocument().replaceAll('<exec ', '<exec colour="red" '))
      const whole = readDocument(document)

      const inspection = await cache.inspect(document)

      expect(whole.ok).toBe(false)
      expect(inspection).toEqual(whole)
    },
  )

  it('knows the document that it sealed', async () => {
    await using cache = aCache()
    const materials = [git('https://example.com/a', { password: 'plain' })]
    const given = aConfigurationInBytes({ schemaVersion: 90, pipelines: [{ materials }] })

    const inspection = await cache.inspect(new Uint8Array(given))

    if (!inspection.ok) throw new Error('it is valid')
    const sealed = cache.find(digestOf(inspection.document))
    expect(sealed?.text).toContain('encryptedPassword="AES:')
    expect(sealed?.hasPlainSecrets).toBe(false)
  })

  it('seals each secret of a large document, and nothing else', { tags: ['long'] }, async () => {
    await using cache = aCache()
    const secure = VARIABLES.replaceAll('"><value>', '" secure="true"><value>')
    const given = SMALL.replace(
      '<materials>',
      `<environmentvariables>${secure}</environmentvariables><materials>`,
    )

    const inspection = await cache.inspect(Buffer.from(given))

    if (!inspection.ok) throw new Error('it is valid')
    const opened = Buffer.from(inspection.document)
      .toString('utf8')
      .replaceAll(/<encryptedValue>(.*?)<\/encryptedValue>/g, (_, sealed: string) => {
        return `<value>${BOX.open(sealed)}</value>`
      })
    expect(opened).toBe(given)
  })
})
