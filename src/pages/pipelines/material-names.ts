import type { PipelineInstance, RunChanges } from '../../builds/engine/documents.ts'
import { materialFingerprint } from '../../document/materials/material-fingerprint.ts'
import type { Material, Pipeline } from '../../document/model/model.ts'
import type { MaterialProblem } from '../../builds/materials/material-poller.ts'

/** What a run was made from, as people say it. */
export interface RunMaterial {
  readonly label: string
  readonly revision: string
  /** The revision of the run before; null when that is the same, or not known. */
  readonly before: string | null
  /** Whether the run was asked to be made from this revision. */
  readonly isPinned: boolean
  /** The changes that the run was the first to have, newest first; none where they are not known. */
  readonly modifications: readonly Modification[]
  /** Why it cannot be read now; null when it can. */
  readonly problem: string | null
}

type Modification = RunChanges[number]['modifications'][number]

/** What runs were made from, and what was new in them. */
export interface MaterialsOfRun {
  readonly run: Pick<PipelineInstance, 'revisions'>
  readonly before: Pick<PipelineInstance, 'revisions'> | null
  readonly changes: RunChanges
  /** What cannot be read now; none for runs of the past. */
  readonly problems: readonly MaterialProblem[]
}

/** The revisions of a run with the names of their materials, and those of the run before. */
export function runMaterials(
  pipeline: Pipeline | null,
  { run, before, changes, problems }: MaterialsOfRun,
): readonly RunMaterial[] {
  const known = new Map(
    (pipeline?.materials ?? []).map((material) => [materialFingerprint(material), material]),
  )
  return run.revisions.map(({ fingerprint, name, revision, pinned }) => {
    const material = known.get(fingerprint)
    const earlier = before?.revisions.find((each) => each.fingerprint === fingerprint)?.revision
    return {
      label: name ?? (material ? labelOf(material) : 'a former material'),
      revision,
      before: earlier === undefined || earlier === revision ? null : earlier,
      isPinned: pinned !== undefined,
      modifications: changes.find((each) => each.fingerprint === fingerprint)?.modifications ?? [],
      problem:
        problems.find((each) => each.fingerprint === fingerprint)?.errors[0]?.message ?? null,
    }
  })
}

/** Addresses may hold what only administrators may see: the last part of them has to do. */
function labelOf(material: Material): string {
  switch (material.kind) {
    case 'dependency':
      return `${material.pipeline} / ${material.stage}`
    case 'package':
    case 'scm':
      return material.kind
    case 'p4':
      return 'p4'
    case 'git':
    case 'hg':
    case 'svn':
    case 'tfs':
      return `${material.kind} ${lastPart(material.url)}`
  }
}

function lastPart(url: string): string {
  const [address = ''] = url.split(/[?#]/)
  return address.split(/[/\\:@]/).findLast((part) => part !== '') ?? ''
}
