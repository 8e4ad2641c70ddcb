/** The lines of a pipeline in a document. */
export function pipelineLines(name: string, document: string): string {
  return new RegExp(` *<pipeline name="${name}"[^]*?</pipeline>\n`).exec(document)?.[0] ?? ''
}

/** A document with a pipeline in front of another one, in the group of that. */
export function movedPipeline(name: string, before: string, document: string): string {
  const lines = pipelineLines(name, document)
  const left = document.replace(lines, '')
  return left.replace(pipelineLines(before, left), (other) => lines + other)
}
