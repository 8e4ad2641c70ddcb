import { unescape } from 'node:querystring'
import type { Problem } from '../../core/problem.ts'
import { SOURCE_KINDS } from '../../core/source-address.ts'
import { newElement } from '../edit/new-element.ts'
import type { XmlEdit } from '../edit/xml-edit.ts'
import { SOURCE_ELEMENTS } from '../schema/materials.ts'
import { pathOf } from '../xml/element-path.ts'
import { elementsAt, isTrue, elementText, walkElements } from '../xml/xml-elements.ts'
import type { XmlDocument } from '../xml/xml-reader.ts'
import type { Span, XmlElement } from '../xml/xml-tree.ts'
import { forAddress, plainSecretIn, replaced } from './address-secret.ts'
import { findUserInfos } from './user-info.ts'

export interface PlainSecret {
  readonly element: XmlElement
  /** The place of the secret, for readers. */
  readonly holder: string
  readonly offset: number
  readonly secret: string
  /** The edits that put its sealed form where the schema has it, such as `encryptedPassword`. */
  readonly sealedBy: (sealed: string) => readonly XmlEdit[]
  /** The edit that replaces the secret alone, and leaves everything around it as it was written. */
  readonly replacedBy: (text: string) => XmlEdit
}

const LOGIN_ELEMENTS = new Set<string>([...SOURCE_KINDS, 'mailhost'])
const ADDRESSED_ELEMENTS = new Set<string>(
  SOURCE_KINDS.filter((kind) => SOURCE_ELEMENTS[kind].address === 'url'),
)
/** Materials that have had attributes for user and password in every version of the schema. */
const WITH_CREDENTIALS = new Set(['svn', 'tfs'])

/** Every secret in plain text, in the order of the document. An empty one is none. */
export function plainSecrets(root: XmlElement): PlainSecret[] {
  return [...walkElements(root)].flatMap((element) => {
    if (LOGIN_ELEMENTS.has(element.name)) {
      return [
        ...addressSecret(element),
        ...attributeSecret(element, 'password', 'encryptedPassword'),
      ]
    }
    if (element.name === 'ldap') {
      return attributeSecret(element, 'managerPassword', 'encryptedManagerPassword')
    }
    return isSecure(element) ? valueSecret(element) : []
  })
}

/** The problems of a pushed configuration with plain secrets, each with its place. */
export function findPlainSecrets({ root, lines }: Pick<XmlDocument, 'root' | 'lines'>): Problem[] {
  return plainSecrets(root).map(({ element, holder, offset }) => ({
    message: `${holder} is in plain text`,
    path: pathOf(element),
    ...lines.positionOf(offset),
  }))
}

/** An encrypted form beside the plain one is older and goes away. */
function attributeSecret(element: XmlElement, plain: string, encrypted: string): PlainSecret[] {
  const attribute = element.attributes.get(plain)
  if (!attribute || attribute.value === '') return []
  return [
    {
      element,
      holder: `the attribute "${plain}" of <${element.name}>`,
      offset: attribute.span.start,
      secret: attribute.value,
      sealedBy: (value) => [
        { kind: 'remove-attribute', element, name: encrypted },
        { kind: 'replace-attribute', element, from: plain, name: encrypted, value },
      ],
      replacedBy: (value) => ({ kind: 'set-attribute', element, name: plain, value }),
    },
  ]
}

/**
 * The secret goes into the attributes for it where the material has them, and is sealed in its place
 * elsewhere. A user or password that is beside the address is what counts already.
 */
function addressSecret(element: XmlElement): PlainSecret[] {
  const url = element.attributes.get('url')
  const span = url && ADDRESSED_ELEMENTS.has(element.name) ? plainSecretIn(url.value) : null
  if (!url || !span) return []
  const inPlace = (text: string): XmlEdit => ({
    kind: 'set-attribute',
    element,
    name: 'url',
    value: replaced(url.value, span, forAddress(text)),
  })
  const beside = WITH_CREDENTIALS.has(element.name) ? credentialsOf(url.value, span) : null
  return [
    {
      element,
      holder: `the secret in the address of <${element.name}>`,
      offset: url.span.start,
      secret: beside?.password ?? url.value.slice(span.start, span.end),
      sealedBy: (sealed) => (beside ? movedBeside(element, beside, sealed) : [inPlace(sealed)]),
      replacedBy: inPlace,
    },
  ]
}

interface Credentials {
  /** The address without them. */
  readonly url: string
  readonly username: string
  readonly password: string
}

/** The user and the password of an address, decoded; null where it has not both in the usual form. */
function credentialsOf(address: string, secret: Span): Credentials | null {
  const [info] = findUserInfos(address)
  if (!info || secret.start === info.start || !/^https?$/.test(info.scheme)) return null
  if (!URL.canParse(address)) return null
  const username = unescape(address.slice(info.start, secret.start - ':'.length))
  const password = unescape(address.slice(secret.start, secret.end))
  const parsed = new URL(address)
  if (unescape(parsed.username) !== username || unescape(parsed.password) !== password) return null
  return { url: address.slice(0, info.start) + address.slice(info.end + 1), username, password }
}

function movedBeside(
  element: XmlElement,
  { url, username }: Credentials,
  sealed: string,
): XmlEdit[] {
  const has = (name: string) => element.attributes.has(name)
  const given = { url, username, encryptedPassword: sealed }
  const isKept = (name: string) =>
    (name === 'username' && has('username')) ||
    (name === 'encryptedPassword' && (has('password') || has('encryptedPassword')))
  return Object.entries(given).flatMap(([name, value]) =>
    isKept(name) ? [] : [{ kind: 'set-attribute', element, name, value } as const],
  )
}

/** Whether a variable or property is marked as secret. */
export function isSecure(element: XmlElement): boolean {
  if (element.name === 'variable') return isTrue(element, 'secure')
  if (element.name !== 'property') return false
  return [element, ...elementsAt(element, 'key')].some((marked) => isTrue(marked, 'secure'))
}

/** Old documents write the value of a variable without an element around it. */
function valueSecret(element: XmlElement): PlainSecret[] {
  const values = elementsAt(element, 'value')
  const [value = element] = values
  const secret = elementText(value).trim()
  if (secret === '') return []
  const encrypted = elementsAt(element, 'encryptedValue')
  return [
    {
      element,
      holder: `the value of a secure ${element.name}`,
      offset: value.span.start,
      secret,
      sealedBy: (sealed) => [
        ...encrypted.map(
          (older) => ({ kind: 'remove', element: older, emptied: 'close' }) as const,
        ),
        { kind: 'replace', element: value, by: sealedValue(value, sealed) },
      ],
      replacedBy: (text) => ({ kind: 'set-text', element: value, text }),
    },
  ]
}

function sealedValue(value: XmlElement, sealed: string) {
  const encryptedValue = newElement('encryptedValue', {}, [sealed])
  if (value.name === 'value') return encryptedValue
  const attributes = [...value.attributes.keys()].map((name) => [name, value.attributeValue(name)])
  return newElement(value.name, Object.fromEntries(attributes), [encryptedValue])
}
