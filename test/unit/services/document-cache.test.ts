import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../src/config/document.ts'
import { SecretBox } from '../../../src/config/secrets/secret-box.ts'
import { digestOf } from '../../../src/core/digest.ts'
import { DocumentCache } from '../../../src/services/document-cache.ts'
import { aConfigurationInBytes, git } from '../../support/a-configuration.ts'
import { documentWith } from '../../support/documents.ts'

function aCache(): DocumentCache {
  return new DocumentCache(new SecretBox([randomBytes(32)]))
}

function largeDocument(): string {
  return documentWith(...Array.from({ length: 900 }, (_, n) => `pipeline-${n}`))
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
    expect(cache.find(digestOf(document))?.configuration.groups[0]?.pipelines).toHaveLength(900)
  })

  it('says all that is wrong with a large document as with a small one', async () => {
    await using cache = aCache()
    const document = Buffer.from(largeDocument().replaceAll('<exec ', '<exec colour="red" '))
    const whole = readDocument(document)

    const inspection = await cache.inspect(document)

    expect(whole.ok).toBe(false)
    expect(inspection).toEqual(whole)
  })

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
})
