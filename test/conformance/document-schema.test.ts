import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../src/document/document.ts'
import { renderXsd } from '../../src/document/schema/render-xsd.ts'
import { realRevisions, validDocuments } from '../support/documents/config-corpus.ts'
import { documentWith } from '../support/documents/documents.ts'
import { EVERYTHING } from '../support/documents/everything.ts'
import { LATER_DOCUMENTS } from '../support/documents/later-versions.ts'
import { TempFolder } from '../support/disk/temp-folder.ts'
import { SHARED_DATA } from '../support/programs/shared-data.ts'
import { atEnd, shared } from '../support/programs/at-end.ts'

const LINE_END = '\n'

/** The one with an element that no version knows: the schema cannot say that it may be there. */
const [UNKNOWN] = LATER_DOCUMENTS.slice(-1)

describe('the XML Schema of the document', { tags: ['xmllint'] }, () => {
  const folder = shared(async () => {
    const made = new TempFolder()
    atEnd(async () => made[Symbol.dispose]())
    writeFileSync(join(made.path, 'schema.xsd'), renderXsd())
    return made
  })

  /** The documents that xmllint refuses, with its reasons. */
  async function refusedOf(documents: readonly string[]): Promise<string[]> {
    const files = documents.map((document, n) => {
      const file = `${n}.xml`
      writeFileSync(join(folder().path, file), document)
      return file
    })
    const args = ['--noout', '--schema', 'schema.xsd', ...files]
    const { stderr } = await promisify(execFile)('xmllint', args, { cwd: folder().path }).catch(
      (error: unknown) => ({ stderr: String(Object(error).stderr ?? error) }),
    )
    return stderr.split(LINE_END).filter((line) => line !== '' && !line.endsWith(' validates'))
  }

  it('takes each element and attribute that any version of the vocabulary has', async () => {
    const documents = [EVERYTHING, ...LATER_DOCUMENTS, documentWith('alpha')]
    const taken = documents.filter((document) => readDocument(Buffer.from(document)).ok)

    expect(taken).toEqual(documents)
    expect(await refusedOf(taken.filter((document) => document !== UNKNOWN))).toEqual([])
  })

  it.each([
    ['an unknown attribute', documentWith('alpha').replace('group=', 'grup=')],
    ['an unknown element', documentWith('alpha').replace('<materials>', '<material /><materials>')],
    [
      'a value of another type',
      documentWith('alpha').replace(/schemaVersion="\d+"/, 'schemaVersion="x"'),
    ],
    ['a missing attribute', documentWith('alpha').replace(' name="alpha"', '')],
  ])('refuses %s, as the server does', async (_, document) => {
    expect(readDocument(Buffer.from(document)).ok).toBe(false)
    expect(await refusedOf([document])).not.toEqual([])
  })

  it.skipIf(SHARED_DATA === null)(
    'takes the documents that the server takes (needs the shared data)',
    { tags: ['long'], timeout: 60_000 },
    async () => {
      const documents = [...validDocuments(), ...realRevisions(100)]
      const taken = documents.filter((document) => readDocument(Buffer.from(document)).ok)

      expect(taken.length).toBeGreaterThan(200)
      expect(await refusedOf(taken)).toEqual([])
    },
  )
})
