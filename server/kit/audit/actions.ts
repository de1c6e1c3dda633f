// The actions that the audit log records, by area. Each name is stored: add names, never change one.

const auditActions = {
  account: {
    'account.created': 'An account was created.',
    'account.changed': 'The name or e-mail address of an account was changed.',
    'account.email_change_requested': 'A change of the e-mail address was requested.',
    'account.email_confirmed': 'An e-mail address was confirmed.',
    'account.role_changed': 'The role of an account was changed.',
    'account.deleted': 'An account was deleted.',
    'account.password_changed': 'A password was changed.',
    'account.password_reset': 'A password was reset with a link.',
    'account.password_link_created': 'A password reset link was created.',
    'account.invited': 'An invitation was created.',
    'account.invitation_revoked': 'An invitation was revoked.',
  },
  session: {
    'session.started': 'An account signed in.',
    'session.ended': 'A session was ended.',
    'session.failed': 'A sign-in failed.',
    'session.others_ended': 'All other sessions were ended.',
  },
  sign_in: {
    'sign_in.codes_added': 'One-time codes were turned on.',
    'sign_in.codes_removed': 'One-time codes were turned off.',
    'sign_in.recovery_codes_created': 'Recovery codes were replaced.',
    'sign_in.recovery_code_used': 'A recovery code was used.',
    'sign_in.passkey_added': 'A passkey was added.',
    'sign_in.passkey_removed': 'A passkey was removed.',
    'sign_in.identity_connected': 'An identity at the provider was connected.',
    'sign_in.identity_removed': 'An identity at the provider was removed.',
  },
  plan: { 'plan.changed': 'The plan of an account was changed.' },
  token: {
    'token.created': 'An access token was created.',
    'token.revoked': 'An access token was revoked.',
  },
  api_key: {
    'api_key.created': 'An API key was created.',
    'api_key.changed': 'The label or rate limit of an API key was changed.',
    'api_key.rotated': 'An API key was rotated.',
    'api_key.revoked': 'An API key was revoked.',
  },
  project: {
    'project.created': 'A project was created.',
    'project.changed': 'The name or slug of a project was changed.',
    'project.visibility_changed':
      'Who may see the site of a project, or its password, was changed.',
    'project.site_settings_changed': 'The settings of the site of a project were changed.',
    'project.deleted': 'A project was deleted.',
    'project.member_invited': 'A user was invited to a project.',
    'project.invitation_ended': 'An invitation to a project was revoked or declined.',
    'project.member_joined': 'An invitation to a project was accepted.',
    'project.member_changed': 'The role of a member of a project was changed.',
    'project.transfer_offered': 'A project was offered to a member.',
    'project.transferred': 'A project got another owner.',
    'project.member_removed': 'A member left a project or was removed from it.',
  },
  deploy: {
    'deploy.created': 'A deploy was created.',
    'deploy.restored': 'An earlier deploy was made live again.',
    'deploy.promoted': 'The deploy of a preview was made live.',
    'deploy.preview_ended': 'A preview was ended.',
    'deploy.preview_password_changed': 'The password of a preview was set or removed.',
  },
  webhook: {
    'webhook.created': 'A webhook was created.',
    'webhook.changed': 'A webhook was changed, paused or resumed.',
    'webhook.secret_rotated': 'A webhook got a new secret.',
    'webhook.deleted': 'A webhook was deleted.',
  },
  domain: {
    'domain.added': 'A domain was added.',
    'domain.configured': 'The role or redirect of a domain was changed.',
    'domain.preparation_requested': 'A certificate was requested before DNS is switched.',
    'domain.preparation_canceled': 'The certificate before the switch is no longer requested.',
    'domain.removed': 'A domain was removed.',
    'domain.account_replaced': 'The account at a certificate authority was replaced.',
    'domain.connect_started': 'The records of a domain were requested at its DNS provider.',
    'domain.connect_key_created': 'A signing key for DNS providers was created.',
    'domain.connect_key_activated': 'A signing key for DNS providers came into use.',
  },
} as const

export type AuditArea = keyof typeof auditActions
export type AuditAction = { [Area in AuditArea]: keyof (typeof auditActions)[Area] }[AuditArea]

export const auditAreas = Object.keys(auditActions) as AuditArea[]

export const allAuditActions = Object.values(auditActions).flatMap(
  (actions) => Object.keys(actions) as AuditAction[],
)

/** The area of an action is the part before the dot. */
export function areaOf(action: AuditAction): AuditArea {
  return action.slice(0, action.indexOf('.')) as AuditArea
}
