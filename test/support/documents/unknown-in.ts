import type { DocumentReading } from '../../../src/document/document.ts'

/** Parts of a document that no schema knows, each as text; none for an invalid document. */
export function unknownIn(reading: DocumentReading): string[] {
  if (!reading.ok) return []
  const { groups, templates, unknown } = reading.document.configuration
  const pipelines = groups.flatMap((group) => group.pipelines)
  const stages = [...pipelines, ...templates].flatMap((each) => each.stages)
  const jobs = stages.flatMap((stage) => stage.jobs)
  return [unknown, ...pipelines.map((each) => each.unknown), ...jobs.map((each) => each.unknown)]
    .flat()
    .map(({ kind, name, within }) => `${kind} ${name} of ${within}`)
}
