/**
 * The look-up key of a name of a pipeline, stage, job or user: names that differ only in case are
 * the same.
 */
export function nameKey(name: string): string {
  return name.toLowerCase()
}

export function isSameName(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other)
}

/** The key of a stage among those of all pipelines. Names contain no slash. */
export function stageNameKey(name: { readonly pipeline: string; readonly stage: string }): string {
  return `${nameKey(name.pipeline)}/${nameKey(name.stage)}`
}
