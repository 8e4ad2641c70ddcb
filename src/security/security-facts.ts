/** One entry in a list of permitted users and roles. */
export interface ListedPrincipal {
  readonly kind: 'user' | 'role'
  readonly name: string
  /** The line of the entry, when it is wanted. */
  readonly line?: number
}

export interface StageFacts {
  readonly name: string
  /** The principals who may run the stage; empty when its approval has no list. */
  readonly approvers: readonly ListedPrincipal[]
}

/** A pipeline with the effective stages of its template, if it has one. */
export interface PipelineFacts {
  readonly name: string
  readonly stages: readonly StageFacts[]
}

export interface GroupFacts {
  readonly name: string
  /** The line of the group, when it is wanted. */
  readonly line?: number
  /** Null for a group without `<authorization>`; otherwise a list for each of its parts. */
  readonly authorization: {
    readonly view: readonly ListedPrincipal[] | null
    readonly operate: readonly ListedPrincipal[] | null
    readonly admins: readonly ListedPrincipal[] | null
  } | null
  readonly pipelines: readonly PipelineFacts[]
}

/** A template, which those that it names may change, and those may view. */
export interface TemplateFacts {
  readonly name: string
  readonly admins: readonly ListedPrincipal[]
  readonly viewers: readonly ListedPrincipal[]
  /** Whether the administrators of every group may view it. */
  readonly isOpenToGroupAdmins: boolean
}

/** The permissions in the configuration. */
export interface SecurityFacts {
  /** Whether the configuration defines security at all. */
  readonly securityOn: boolean
  readonly roles: readonly {
    readonly name: string
    readonly users: readonly { readonly name: string }[]
  }[]
  readonly admins: readonly ListedPrincipal[]
  readonly groups: readonly GroupFacts[]
  readonly templates: readonly TemplateFacts[]
}
