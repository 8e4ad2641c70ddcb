import type { ConfigDocument } from '../../document/document.ts'
import { Findings } from '../../document/structure/findings.ts'
import { childElements } from '../../document/xml/xml-elements.ts'
import type { Problem } from '../../core/problem.ts'

/**
 * Holds a running server to its `serverId`. The one in the very first revision may be replaced: the
 * service has made it up for a document that nobody has written.
 */
export class ServerIdentity {
  #id: string | null = null
  /** Of the newest document, which a commit with git may have given another one. */
  #newest: string | null = null

  /** Takes note of the configuration in force. */
  follow(document: ConfigDocument, { isFirst }: { readonly isFirst: boolean }): void {
    this.#newest = idOf(document)
    if (!isFirst) this.#id ??= this.#newest
  }

  /** What an operator should know who has changed it past the server, in words. */
  problems(): readonly string[] {
    const [ours, newest] = [this.#id, this.#newest]
    if (ours === null || newest === null || ours === newest) return []
    return [`A commit has made the serverId ${newest}, which was ${ours} when the server started`]
  }

  /** What is wrong with a document that is to become the next. It may leave the id as a commit has made it. */
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

function idOf({ configuration }: ConfigDocument): string | null {
  return configuration.server?.serverId ?? null
}
