import type { RequestForm } from './request-form.ts'

/** Something that a job leaves behind; the kinds are the names of the elements. */
export interface ArtifactRequest {
  readonly kind: 'artifact' | 'test'
  readonly src: string
  readonly dest: string | null
}

/** What the schema takes as a folder: neither end is a dot or a space. */
const DEST = /^(?:[^. ].*[^. ]|[^. ])$/s

const KINDS = ['artifact', 'test'] as const

/**
 * `source`, `dest` and `artifactType` may repeat; the first belongs to the first, and so on. One
 * type alone is that of all sources.
 */
export function readArtifactRequests(form: RequestForm): ArtifactRequest[] {
  const kinds = form.choices('artifactType', KINDS)
  const sources = form.all('source')
  const dests = form.all('dest')
  const count = Math.max(sources.length, dests.length)
  if (kinds.length > Math.max(sources.length, 1)) {
    form.refuse('artifactType', `is given ${kinds.length} times, and there are fewer sources`)
  }
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const src = presence(sources[index])
    const dest = presence(dests[index])
    if (dest !== null && src === null) form.refuse('dest', `"${dest}" has no source`)
    if (dest !== null && !DEST.test(dest)) {
      form.refuse('dest', `is "${dest}", which begins or ends with a dot or a space`)
    }
    const kind = (kinds.length === 1 ? kinds[0] : kinds[index]) ?? KINDS[0]
    return src === null ? [] : [{ kind, src, dest }]
  })
}

function presence(value: string | undefined): string | null {
  return value === undefined || value.trim() === '' ? null : value
}
