import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { mayHaveTestsOf } from './steps.ts'

/**
 * Folders whose files take longest, so that no worker is left with one of them at the end. Servers wait for each
 * other, browsers and power cuts keep a core busy: files of the first folders come by turns.
 */
const SLOW_FOLDERS = ['e2e/servers', 'e2e/pages', 'crash', 'e2e', 'http']
const BY_TURNS = 3

/**
 * First the files that run alone, one after the other: between two others, each would end a process
 * that the next file would have to load all code into again. Then what takes longest. Files without a test of
 * the step are left out.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ofStep = files.filter(({ moduleId }) => this.#isOfStep(moduleId))
    const turns = new Map<number, number>()
    // A run that has no file at all has failed: one of files that are asked for by name says what it left out.
    const placed = (ofStep.length > 0 ? ofStep : files).map((file) => {
      const rank = rankOf(file)
      const turn = turns.get(rank) ?? 0
      turns.set(rank, turn + 1)
      return { file, rank, turn }
    })
    const inOrder = placed.toSorted((one, other) => {
      const isByTurns = takesTurns(one.rank) && takesTurns(other.rank)
      return (isByTurns ? one.turn - other.turn : 0) || one.rank - other.rank
    })
    return inOrder.map(({ file }) => file)
  }

  #isOfStep(file: string): boolean {
    const { tagsFilter = [] } = this.ctx.config
    return tagsFilter.every((step) => mayHaveTestsOf(step, readFileSync(file, 'utf8')))
  }
}

function takesTurns(rank: number): boolean {
  return rank >= 0 && rank < BY_TURNS
}

function rankOf({ project, moduleId }: TestSpecification): number {
  if (project.config.isolate) return -1
  const place = SLOW_FOLDERS.findIndex((folder) => moduleId.includes(`/test/${folder}/`))
  return place < 0 ? SLOW_FOLDERS.length : place
}
