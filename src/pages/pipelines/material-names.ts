import type { PipelineInstance, RunChanges } from '../../builds/engine/documents.ts'
import { materialFingerprint } from '../../document/materials/identity.ts'
import { shownMaterial } from '../../document/materials/shown-material.ts'
import type { Pipeline } from '../../document/model/model.ts'
import type { MaterialProblem } from '../../builds/materials/material-poller.ts'

/** A material of a run, for display. */
export interface RunMaterial {
  readonly label: string
  readonly revision: string
  /** The revision in the previous run; null when it is the same, or unknown. */
  readonly before: string | null
  /** Whether the run was started with this revision. */
  readonly isPinned: boolean
  /** The changes that the run was the first to include, newest first; none where unknown. */
  readonly modifications: readonly Modification[]
  /** Why it cannot be read now; null when it can. */
  readonly problem: string | null
}

type Modification = RunChanges[number]['modifications'][number]

/** The materials of runs, and their new changes. */
export interface MaterialsOfRun {
  readonly run: Pick<PipelineInstance, 'revisions'>
  readonly before: Pick<PipelineInstance, 'revisions'> | null
  readonly changes: RunChanges
  /** The current problems of the materials; none for past runs. */
  readonly problems: readonly MaterialProblem[]
}

/** The materials of a run with their names, compared with the previous run. */
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
      label: name ?? (material ? shownMaterial(material) : 'a former material'),
      revision,
      before: earlier === undefined || earlier === revision ? null : earlier,
      isPinned: pinned !== undefined,
      modifications: changes.find((each) => each.fingerprint === fingerprint)?.modifications ?? [],
      problem:
        problems.find((each) => each.fingerprint === fingerprint)?.errors[0]?.message ?? null,
    }
  })
}
