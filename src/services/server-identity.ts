import type { ConfigDocument } from '../config/document.ts'
import { Findings } from '../config/structure/findings.ts'
import { childElements } from '../config/xml-elements.ts'
import type { Problem } from '../core/problem.ts'

/**
 * Holds a running server to its `serverId`. The one in the very first revision may be replaced: the
 * service has made it up for a document that nobody has written.
 */
export class ServerIdentity {
  #id: string | null = null

  /** Takes note of the configuration in force. */
  follow(document: ConfigDocument, { isFirst }: { readonly isFirst: boolean }): void {
    if (!isFirst) this.#id ??= idOf(document)
  }

  /** What is wrong with a document that is to become the next. */
  check(document: ConfigDocument): readonly Problem[] {
    const id = idOf(document)
    if (id === null || this.#id === null || id === this.#id) return []
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
