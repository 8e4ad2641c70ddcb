import type { RequestForm } from './request-form.ts'

/** Something that a job leaves behind; the kinds are the names of the elements. */
export interface ArtifactRequest {
  readonly kind: 'artifact' | 'test'
  readonly src: string
  readonly dest: string | null
}

/** What the schema takes as a folder: neither end is a dot or a space. */
const DEST = /^(?:[^. ].*[^. ]|[^. ])$/s

/** `source` and `dest` may repeat; the first belongs to the first, and so on. */
export function readArtifactRequests(form: RequestForm): ArtifactRequest[] {
  const kind = form.choice('artifactType', ['artifact', 'test']) ?? 'artifact'
  const sources = form.all('source')
  const dests = form.all('dest')
  const count = Math.max(sources.length, dests.length)
  return Array.from({ length: count }, (_, index) => index).flatMap((index) => {
    const src = presence(sources[index])
    const dest = presence(dests[index])
    if (dest !== null && src === null) form.refuse('dest', `"${dest}" has no source`)
    if (dest !== null && !DEST.test(dest)) {
      form.refuse('dest', `is "${dest}", which begins or ends with a dot or a space`)
    }
    return src === null ? [] : [{ kind, src, dest }]
  })
}

function presence(value: string | undefined): string | null {
  return value === undefined || value.trim() === '' ? null : value
}
