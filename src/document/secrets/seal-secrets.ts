import { applyEdits } from '../edit/apply-edits.ts'
import type { EditableDocument } from '../edit/layout.ts'
import type { XmlEdit } from '../edit/xml-edit.ts'
import { elementText, walkElements } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { forAddress, replaced, sealedSecretIn } from './address-secret.ts'
import { plainSecrets } from './plain-secrets.ts'
import type { SecretBox } from './secret-box.ts'

export interface SealedDocument {
  readonly text: string
  /** How many secrets were in plain text. */
  readonly sealed: number
}

/** Puts the sealed form of each plain secret in its place and touches nothing else. */
export function sealSecrets(
  document: EditableDocument,
  box: Pick<SecretBox, 'seal'>,
): SealedDocument {
  const secrets = plainSecrets(document.root)
  const edits = secrets.flatMap(({ secret, sealedBy }) => sealedBy(box.seal(secret)))
  return { text: applyEdits(document, edits) ?? document.text, sealed: secrets.length }
}

/** Begins the stand-in for a secret that a commit has in plain text. Like a sealed secret, it is hidden everywhere. */
const PLAIN_MARK = 'AES:PLAIN:'

/**
 * The text as it was written, with a stand-in for each plain secret: its sealed form behind a mark.
 * It is for people to look at, and no configuration.
 */
export function markPlainSecrets(
  document: EditableDocument,
  box: Pick<SecretBox, 'seal'>,
): SealedDocument {
  const secrets = plainSecrets(document.root)
  const edits = secrets.map(({ secret, replacedBy }) =>
    replacedBy(PLAIN_MARK + Buffer.from(box.seal(secret)).toString('base64url')),
  )
  return { text: applyEdits(document, edits) ?? document.text, sealed: secrets.length }
}

/** The sealed form in a stand-in of {@link markPlainSecrets}; null for any other text. */
export function markedSecretIn(text: string): string | null {
  if (!text.startsWith(PLAIN_MARK)) return null
  return Buffer.from(text.slice(PLAIN_MARK.length), 'base64url').toString('utf8')
}

export interface RotatedDocument {
  /** The new text, or null when every secret of ours is sealed by the newest key. */
  readonly text: string | null
  readonly rotated: number
  /** Encrypted values that no key of ours opens; they stay as they are. */
  readonly foreign: number
}

/** Seals again with the newest key every secret that an older key has sealed. */
export function rotateSecrets(document: EditableDocument, box: SecretBox): RotatedDocument {
  const places = encryptedPlaces(document.root)
  const edits: XmlEdit[] = []
  let foreign = 0
  for (const { encrypted, replacedBy } of places) {
    const secret = box.open(encrypted)
    if (secret === null) foreign += 1
    else if (!box.isCurrent(encrypted)) edits.push(replacedBy(box.seal(secret)))
  }
  return { text: applyEdits(document, edits), rotated: edits.length, foreign }
}

interface EncryptedPlace {
  readonly encrypted: string
  readonly replacedBy: (sealed: string) => XmlEdit
}

const ENCRYPTED_ATTRIBUTES = ['encryptedPassword', 'encryptedManagerPassword']

function encryptedPlaces(root: XmlElement): EncryptedPlace[] {
  return [...walkElements(root)].flatMap((element) => [
    ...attributePlaces(element),
    ...addressPlaces(element),
    ...(element.name === 'encryptedValue' ? [textPlace(element)] : []),
  ])
}

function attributePlaces(element: XmlElement): EncryptedPlace[] {
  return ENCRYPTED_ATTRIBUTES.flatMap((name) => {
    const attribute = element.attributes.get(name)
    if (!attribute) return []
    const replacedBy = (value: string): XmlEdit => ({ kind: 'set-attribute', element, name, value })
    return [{ encrypted: attribute.value, replacedBy }]
  })
}

function addressPlaces(element: XmlElement): EncryptedPlace[] {
  const address = element.attributeValue('url')
  const sealed = address === null ? null : sealedSecretIn(address)
  if (address === null || !sealed) return []
  const replacedBy = (by: string): XmlEdit => {
    const value = replaced(address, sealed.span, forAddress(by))
    return { kind: 'set-attribute', element, name: 'url', value }
  }
  return [{ encrypted: sealed.text, replacedBy }]
}

function textPlace(element: XmlElement): EncryptedPlace {
  return {
    encrypted: elementText(element).trim(),
    replacedBy: (text) => ({ kind: 'set-text', element, text }),
  }
}
