import { describe, expect, it } from 'vitest'
import { ChangeSummary } from '../../../src/document/changes/change-summary.ts'
import { digestOf } from '../../../src/core/digest.ts'
import { aConfigurationInBytes, git } from '../../support/documents/a-configuration.ts'

function configurationFrom(address: string) {
  return aConfigurationInBytes({ pipelines: [{ materials: [git(address)] }] })
}

/** A summary without documents in memory, and the documents that it read. */
function countingSummary() {
  const summary = new ChangeSummary({ find: () => null })
  const read: string[] = []
  const document = (address: string) => {
    const bytes = configurationFrom(address)
    const digest = digestOf(bytes)
    return {
      digest,
      read: () => {
        read.push(address)
        return summary.read(bytes)
      },
    }
  }
  return { summary, read, document }
}

describe('a summary of changes', () => {
  it('is made once of each pair of a group of saves, for their commits and for the index', async () => {
    const { summary, read, document } = countingSummary()
    const [a, b, c] = [document('https://a'), document('https://b'), document('https://c')]
    const forCommits = [await summary.compare(a, b), await summary.compare(b, c)]

    const forIndex = [await summary.compare(a, b), await summary.compare(b, c)]

    expect(forIndex).toEqual(forCommits)
    expect(forCommits.flat().map(({ to }) => to)).toEqual(['https://b', 'https://c'])
    expect(read).toEqual(['https://a', 'https://b', 'https://b', 'https://c'])
  })

  it('tells the changes of a document from those of another one before it', async () => {
    const { summary, document } = countingSummary()
    const after = document('https://c')

    const changes = [
      await summary.compare(document('https://a'), after),
      await summary.compare(document('https://b'), after),
      await summary.compare(after, after),
    ]

    expect(changes.map(([change]) => change?.from)).toEqual(['https://a', 'https://b', undefined])
  })
})
