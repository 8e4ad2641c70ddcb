import type { ConfigDocument } from '../../document/document.ts'
import { Findings } from '../../document/structure/findings.ts'
import { childElements } from '../../document/xml/xml-elements.ts'
import type { Problem } from '../../core/problem.ts'

/**
 * Keeps the `serverId` of a running server unchanged. The id in the very first revision may be
 * replaced, because the service generated it.
 */
export class ServerIdentity {
  #id: string | null = null
  /** The id in the newest document; a foreign commit may have changed it. */
  #newest: string | null = null

  /** Notes the current configuration. */
  follow(document: ConfigDocument, { isFirst }: { readonly isFirst: boolean }): void {
    this.#newest = idOf(document)
    if (!isFirst) this.#id ??= this.#newest
  }

  /** A warning for operators when a foreign commit has changed the id; null else. */
  problems(): readonly string[] {
    const [ours, newest] = [this.#id, this.#newest]
    if (ours === null || newest === null || ours === newest) return []
    return [`A commit has made the serverId ${newest}, which was ${ours} when the server started`]
  }

  /** The problems of a document that is to become current. It may keep an id that a foreign commit has set. */
  check(document: ConfigDocument): readonly Problem[] {
    const id = idOf(document)
    if (id === null || this.#id === null || [this.#id, this.#newest].includes(id)) return []
    const findings = new Findings(document)
    const server = childElements(document.root).find(({ name }) => name === 'server')
    const message = `serverId is ${this.#id} and may not change while the server runs`
    findings.add(server ?? document.root, message)
    return findings.problems()
  }
}

/** An empty id is none. */
function idOf({ configuration }: ConfigDocument): string | null {
  const id = configuration.server?.serverId ?? ''
  return id === '' ? null : id
}
