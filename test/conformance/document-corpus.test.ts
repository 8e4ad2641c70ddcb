import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../src/document/document.ts'
import { everyRealRevision, verdictsIn } from '../support/documents/config-corpus.ts'
import { SHARED_DATA } from '../support/programs/shared-data.ts'

/**
 * Where Cairn answers otherwise than the original, and why. The original takes
 * one version of the schema and migrates older files first; Cairn records
 * history as it was, so it accepts every version, as long as a document is
 * consistent. Older documents in the corpus are told by their folder.
 */
const DIFFERENCES = new Map([
  ['invalid/DOC-2-schema-version-74.xml', 'schema version 74 is accepted as it is'],
  ['invalid/DOC-2-schema-version-76.xml', 'schema version 76 is accepted as it is'],
])

/** Older documents that are refused here too, each for what is wrong with it in any version. */
const INCONSISTENT = new Map([
  ['old-file-cruise-config-10-5-5.xml', 'needs the attribute "schemaVersion"'],
  ['old-shouldMigrateApprovalsCorrectlyBug2112.xml', 'needs the attribute "schemaVersion"'],
  [
    'old-shouldNotAllowAPipelineThatReferencesATemplateToHaveStages.xml',
    'has the stage "badstage" and the template',
  ],
  ['old-shouldNotAllowConfigWithUnknownPipeline.xml', 'names the pipeline "notpresent"'],
  ['old-shouldNotAllowDuplicatePipelineAcrossEnvironments.xml', 'already in an environment'],
  ['old-shouldNotAllowIllegalValueForRunMultipleInstanceJob.xml', 'must be a whole number above 0'],
  ['old-shouldNotLoadConfigWithEmptyTemplates.xml', 'needs at least one "pipeline"'],
  [
    'old-shouldNotMigrateConfigContentAsAStringWhenAlreadyUpToDate.xml',
    'needs the attribute "schemaVersion"',
  ],
  [
    'old-shouldValidateCruiseConfigFileIrrespectiveOfUpgrade.xml',
    'names the pipeline "does_not_exist"',
  ],
])

const OLD = 'old-schema/'
const configs = join(SHARED_DATA ?? '', 'configs')
const folders = [configs, join(configs, 'rules')]

interface Judged {
  readonly file: string
  readonly original: 'valid' | 'invalid'
  readonly ours: 'valid' | 'invalid'
  readonly messages: readonly string[]
}

const known = new Map<string, readonly Judged[]>()

function judge(folder: string): readonly Judged[] {
  const judged = known.get(folder) ?? judgeAll(folder)
  known.set(folder, judged)
  return judged
}

function judgeAll(folder: string): Judged[] {
  return verdictsIn(folder).map(({ file, expected }) => {
    const reading = readDocument(readFileSync(join(folder, file)))
    const messages = reading.ok ? [] : reading.problems.map(({ message }) => message)
    return { file, original: expected, ours: reading.ok ? 'valid' : 'invalid', messages }
  })
}

describe.skipIf(!SHARED_DATA)('the verdicts of the original (need the shared data)', () => {
  it.each(folders)('are ours, but for the differences that are listed: %s', (folder) => {
    const judged = judge(folder).filter(({ file }) => !file.startsWith(OLD))
    const differing = judged.filter(({ original, ours }) => original !== ours)

    expect(judged.length).toBeGreaterThan(150)
    expect(differing.filter(({ file }) => !DIFFERENCES.has(file))).toEqual([])
  })

  it('differ in every way that is listed', () => {
    const differing = folders.flatMap(judge).filter(({ original, ours }) => original !== ours)

    const files = differing.map(({ file }) => file).filter((file) => !file.startsWith(OLD))
    expect(files.toSorted()).toEqual([...DIFFERENCES.keys()].toSorted())
  })

  it('are not asked for older documents, which are refused for real inconsistencies only', () => {
    const old = judge(configs).filter(({ file }) => file.startsWith(OLD))
    const refused = old.filter(({ ours }) => ours === 'invalid')

    expect(old.length).toBeGreaterThan(35)
    expect(refused.map(({ file }) => file.slice(OLD.length)).toSorted()).toEqual(
      [...INCONSISTENT.keys()].toSorted(),
    )
    for (const { file, messages } of refused) {
      expect(messages.join()).toContain(INCONSISTENT.get(file.slice(OLD.length)))
    }
  })
})

describe.skipIf(!SHARED_DATA)('a real history (needs the shared data)', () => {
  it('is accepted, every revision of it', { tags: ['long'] }, () => {
    const documents = everyRealRevision()
    const different = [...new Set(documents)]
    const problems = different.flatMap((document) => {
      const reading = readDocument(Buffer.from(document))
      return reading.ok ? [] : reading.problems
    })

    expect(documents).toHaveLength(551)
    expect(problems).toEqual([])
  })
})
