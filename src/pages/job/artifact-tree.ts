import type { JobPlace } from '../../builds/artifacts/job-folders.ts'
import { type FileCaller, type FilesDeps, openFile } from '../../builds/runs/files.ts'

/** A file or a folder that a job made. */
export type ArtifactNode =
  | { readonly type: 'file'; readonly name: string; readonly path: string; readonly size: number }
  | {
      readonly type: 'folder'
      readonly name: string
      readonly path: string
      readonly nodes: readonly ArtifactNode[]
    }

export interface ArtifactTree {
  readonly nodes: readonly ArtifactNode[]
  /** Whether it was cut at the limit of the page. */
  readonly isCut: boolean
}

export interface ArtifactCall {
  readonly caller: FileCaller
  readonly job: JobPlace
}

/** The limit of files and folders on a page. */
const MAX_ENTRIES = 500

/** The artifacts of a job, folders first, up to the limit of a page. */
export async function readArtifacts(deps: FilesDeps, call: ArtifactCall): Promise<ArtifactTree> {
  const budget = { left: MAX_ENTRIES }
  const nodes = await readFolder(deps, call, { path: '', budget })
  return { nodes, isCut: budget.left <= 0 }
}

async function readFolder(
  deps: FilesDeps,
  call: ArtifactCall,
  { path, budget }: { readonly path: string; readonly budget: { left: number } },
): Promise<ArtifactNode[]> {
  const found = await openFile(deps, { ...call, path })
  if (found.type === 'file') {
    await found.handle.close()
    return []
  }
  const nodes: ArtifactNode[] = []
  for (const entry of found.entries) {
    budget.left -= 1
    if (budget.left < 0) break
    const below = path === '' ? entry.name : `${path}/${entry.name}`
    if (entry.type === 'file') nodes.push({ ...entry, path: below })
    else {
      const inside = await readFolder(deps, call, { path: below, budget })
      nodes.push({ type: 'folder', name: entry.name, path: below, nodes: inside })
    }
  }
  return nodes
}
