import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders whose files take longest, so that no worker is left with one of them at the end. */
const SLOW_FOLDERS = ['e2e/servers', 'e2e/pages', 'crash', 'e2e', 'http']

/**
 * First the files that run alone, one after the other: between two others, each would end a process
 * that the next file would have to load all code into again. Then what takes longest.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

function rankOf({ project, moduleId }: TestSpecification): number {
  if (project.config.isolate) return -1
  const place = SLOW_FOLDERS.findIndex((folder) => moduleId.includes(`/test/${folder}/`))
  return place < 0 ? SLOW_FOLDERS.length : place
}
