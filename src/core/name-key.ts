/**
 * What names of pipelines, stages, jobs, users and other things are found by: those that differ
 * only in case are the same name.
 */
export function nameKey(name: string): string {
  return name.toLowerCase()
}

export function isSameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other)
}

/** The key of a stage among those of all pipelines. Names hold no slash. */
export function stageNameKey(name: { readonly pipeline: string; readonly stage: string }): string {
  return `${nameKey(name.pipeline)}/${nameKey(name.stage)}`
}
