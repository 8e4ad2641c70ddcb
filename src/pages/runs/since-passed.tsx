import type { StageSummary } from '../../builds/runs/stages.ts'
import { LinkButton } from '../kit/buttons.tsx'
import type { Links } from '../kit/links.ts'

/** Whether a failed run can be compared with the one in which the stage had passed last. */
export function hasPassedBefore({ result, stage }: StageSummary): boolean {
  return result === 'Failed' && stage.passedBefore !== null
}

/** Leads to that comparison. */
export function SincePassed({ links, run: { stage } }: { links: Links; run: StageSummary }) {
  const runs = { from: 'last-passed', to: stage.pipelineCounter } as const
  return (
    <LinkButton
      href={links.compareRuns(stage.pipelineName, runs, { stage: stage.name })}
      label="What changed since it last passed"
    />
  )
}
