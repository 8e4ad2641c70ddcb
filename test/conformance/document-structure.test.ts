import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../src/core/problem.ts'
import { checkStructure } from '../../src/document/structure/structure.ts'
import { readXml } from '../../src/document/xml/xml-reader.ts'
import { everyRealRevision, verdictsIn } from '../support/documents/config-corpus.ts'
import { SHARED_DATA } from '../support/programs/shared-data.ts'
import { runSync } from '../../src/lib/cooperative.ts'

/** The words of the reference when it is its schema that refuses a document. */
const SCHEMA_REASONS =
  /^Error on line|required for|should conform|valid value for|Invalid content|is not complete|Duplicate unique value|^Key '|facet-valid|not allowed to appear|must start with/

/** Versions that the reference migrates first, and that Cairn records as they are. */
const OTHER_VERSIONS = [
  'invalid/DOC-2-schema-version-74.xml',
  'invalid/DOC-2-schema-version-76.xml',
]

/** Called parse errors by the reference, though rules across elements are what they break. */
const RULES_ACROSS_ELEMENTS = [
  'invalid/gocd-shouldFailIfJobsWithSameNameButDifferentCasesExistInConfig.xml',
  'invalid/gocd-shouldNotAllowAPipelineThatReferencesATemplateToHaveStages.xml',
]

/** Older documents that no version accepts, or that name none. */
const INCONSISTENT = [
  'old-schema/old-file-cruise-config-10-5-5.xml',
  'old-schema/old-shouldMigrateApprovalsCorrectlyBug2112.xml',
  'old-schema/old-shouldNotAllowIllegalValueForRunMultipleInstanceJob.xml',
  'old-schema/old-shouldNotLoadConfigWithEmptyTemplates.xml',
  'old-schema/old-shouldNotMigrateConfigContentAsAStringWhenAlreadyUpToDate.xml',
]

function problemsOf(document: Uint8Array): readonly Problem[] {
  const reading = runSync(readXml(document))
  return reading.ok ? checkStructure(reading) : reading.problems
}

/** The refused files, among the given ones. */
function refused(folder: string, files: readonly string[]): string[] {
  return files.filter((file) => problemsOf(readFileSync(join(folder, file))).length > 0)
}

function isOld(file: string): boolean {
  return file.startsWith('old-schema/')
}

describe.skipIf(!SHARED_DATA)('the structure of real documents (needs the shared data)', () => {
  const configs = join(SHARED_DATA ?? '', 'configs')
  const rules = join(configs, 'rules')

  it.each([configs, rules])('accepts every valid one of %s', (folder) => {
    const valid = verdictsIn(folder).filter(({ expected }) => expected === 'valid')

    expect(valid.length).toBeGreaterThan(90)
    expect(
      refused(
        folder,
        valid.map(({ file }) => file),
      ),
    ).toEqual([])
  })

  it('refuses what the schema of the reference refuses', () => {
    const invalid = verdictsIn(configs)
      .filter(({ phase }) => phase === 'parse' || phase === 'xsd')
      .map(({ file }) => file)
      .filter((file) => !isOld(file) && !RULES_ACROSS_ELEMENTS.includes(file))

    expect(invalid.length).toBeGreaterThan(20)
    expect(refused(configs, invalid)).toEqual(invalid)
  })

  it('refuses what the schema of the reference refuses of hand-written probes', () => {
    const invalid = verdictsIn(rules)
      .filter(({ reason }) => SCHEMA_REASONS.test(reason ?? ''))
      .map(({ file }) => file)
      .filter((file) => !OTHER_VERSIONS.includes(file))

    expect(invalid.length).toBeGreaterThan(60)
    expect(refused(rules, invalid)).toEqual(invalid)
  })

  it('accepts older documents that are consistent', () => {
    const old = verdictsIn(configs)
      .map(({ file }) => file)
      .filter(isOld)

    expect(old.length).toBeGreaterThan(35)
    expect(refused(configs, old).toSorted()).toEqual(INCONSISTENT)
  })

  it('accepts every revision of a real history', { tags: ['long'] }, () => {
    const documents = new Set(everyRealRevision())

    expect(documents.size).toBeGreaterThan(400)
    expect([...documents].flatMap((text) => problemsOf(Buffer.from(text)))).toEqual([])
  })
})
