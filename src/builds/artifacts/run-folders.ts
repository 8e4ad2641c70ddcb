import { lstat, readdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StageRunName } from '../engine/keys.ts'
import { fsErrorCode, orNullWhenAbsent } from '../../storage/fs-error.ts'
import { folderName } from './artifact-path.ts'

/** The folder of all jobs of a run of a stage, below the folder of all artifacts. */
export function runFolder(run: StageRunName): string {
  const { pipeline, pipelineCounter, stage, stageCounter } = run
  return join(...[pipeline, `${pipelineCounter}`, stage, `${stageCounter}`].map(folderName))
}

/** Every run of a stage that has a folder. */
export async function* listRunFolders(root: string): AsyncGenerator<StageRunName> {
  for (const pipeline of await foldersIn(root)) {
    for (const pipelineCounter of await foldersIn(join(root, pipeline))) {
      for (const stage of await foldersIn(join(root, pipeline, pipelineCounter))) {
        for (const counter of await foldersIn(join(root, pipeline, pipelineCounter, stage))) {
          yield {
            pipeline: nameOf(pipeline),
            pipelineCounter: Number(pipelineCounter),
            stage: nameOf(stage),
            stageCounter: Number(counter),
          }
        }
      }
    }
  }
}

/** The bytes of a file, or of all files below a folder; files removed meanwhile do not count. */
export async function bytesBelow(path: string): Promise<number> {
  const facts = await orNullWhenAbsent(lstat(path))
  if (!facts?.isDirectory()) return facts?.size ?? 0
  let bytes = 0
  for (const name of (await orNullWhenAbsent(readdir(path))) ?? []) {
    bytes += await bytesBelow(join(path, name))
  }
  return bytes
}

export async function removeEmptyAbove(root: string, folder: string): Promise<void> {
  for (let above = dirname(folder); above !== root; above = dirname(above)) {
    try {
      await orNullWhenAbsent(rmdir(above))
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes(fsErrorCode(error) ?? '')) throw error
      return
    }
  }
}

/** Folders without a leading dot, which marks unfinished uploads. */
async function foldersIn(folder: string): Promise<string[]> {
  const entries = (await orNullWhenAbsent(readdir(folder, { withFileTypes: true }))) ?? []
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
}

/** Decodes a folder's name into a name of the configuration. */
function nameOf(folder: string): string {
  return folder.startsWith('%') ? Buffer.from(folder.slice(1), 'hex').toString() : folder
}
