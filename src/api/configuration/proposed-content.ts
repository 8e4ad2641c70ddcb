import { malformed } from '../../http/parameters.ts'
import type { ProposedContent } from '../../proposals/content.ts'
import type { ProposalUpdateBody } from '../../wire/proposal-body.ts'

/**
 * The content that a body has.
 *
 * @throws {ServiceError} `malformed-request`.
 */
export function proposedContent({ document, entities }: ProposalUpdateBody): ProposedContent {
  if (document !== undefined && entities === undefined) {
    return { document: new Uint8Array(Buffer.from(document)) }
  }
  if (entities !== undefined && document === undefined) return { entities }
  throw malformed('A proposal has either a document or entities', 'document')
}
