import type { ChangeOrigin } from '../../core/change-origin.ts'
import type { Revision } from '../../core/revision.ts'
import { type Splice, spliceBytes } from '../../document/edit/splice.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import type { ChangeOptions, ConfigurationWriter } from './configuration-writer.ts'
import type { CurrentConfiguration } from '../current/current-configuration.ts'
import type { DocumentBefore, SavedChange } from './save-group.ts'

/** Changes the current document by lossless edits, each computed from the document at that time. */
export class ConfigEditor {
  readonly #writer: ConfigurationWriter
  readonly #configuration: CurrentConfiguration

  constructor(options: { writer: ConfigurationWriter; configuration: CurrentConfiguration }) {
    this.#writer = options.writer
    this.#configuration = options.configuration
  }

  /**
   * Commits the result of an edit of the current document, which is its text, or the splices that make
   * it. An edit that returns null makes no commit.
   *
   * @throws {ServiceError} `config-invalid` when the result is not valid, `not-permitted` when the gate
   * does not let it pass.
   */
  edit(
    origin: ChangeOrigin,
    edit: (document: XmlDocument) => string | readonly Splice[] | null,
    options: Pick<ChangeOptions, 'message'> = {},
  ): Promise<SavedChange> {
    const compute = async ({ document }: DocumentBefore) => {
      const current = await this.#configuration.documentOf(document)
      const edited = edit(current)
      if (edited === null) return null
      return typeof edited === 'string' ? Buffer.from(edited) : spliceBytes(current, edited)
    }
    return this.#writer.change(origin, compute, options)
  }

  /** The document of a revision as readers may see it, while it is in memory; null when it is not. */
  findRead({ digest }: Revision): XmlDocument | null {
    return this.#configuration.findReadable(digest)
  }
}
