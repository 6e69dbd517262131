{{/* The settings of a controller as environment variables, so that a changed setting replaces the pod. */}}
{{- define "svc.controller.env" -}}
{{- $part := .Values.controller -}}
{{- include "svc.env" (dict
  "SVC_LEASE" $part.lease
  "SVC_SEGMENT_SECONDS" $part.segmentSeconds
  "SVC_WORST_STILLS" $part.worstStills
  "SVC_RETENTION" $part.retention
  "SVC_RESULTS_STORAGE" (ternary "" "/etc/svc/results/results.yaml" (empty $part.resultsStorage.existingSecret))
  "SVC_TENANT_UPLOADS" $part.uploads.tenantFiles
  "SVC_TENANT_UPLOAD_SIZE" $part.uploads.tenantSize
  "SVC_UPLOAD_RETENTION" $part.uploads.retention
  "SVC_SCORE_TIMEOUT" $part.scoreTimeout
  "SVC_REQUEST_TIMEOUT" $part.requestTimeout
  "SVC_UI_TRY_IT_OUT" (ternary "true" "" $part.uiTryItOut)
  "SVC_PROBE_MEDIA" (ternary "true" "" $part.probeMedia)
  "SVC_DEFAULT_MODEL" (join ":" $part.defaultModels)
  "SVC_FINDINGS" (include "svc.controller.findings" $part.findings)
  "SVC_TENANT_JOBS_QUEUED" $part.limits.jobsQueued
  "SVC_TENANT_SEGMENTS_RUNNING" $part.limits.segmentsRunning
  "SVC_TENANT_SUBMITS_PER_SECOND" $part.limits.submitsPerSecond
  "SVC_TENANT_WEIGHT" $part.limits.weight
  "SVC_AUDIT_LOG" $part.audit.log
  "SVC_AUDIT_RETENTION" $part.audit.retention
  "SVC_MEDIA_ROOT" (join ":" .Values.media.roots)) }}
{{- include "svc.controller.env.access" . }}
{{- end }}

{{/* A policy on findings as its variable: the action of all, then those of codes. */}}
{{- define "svc.controller.findings" -}}
{{- $parts := list -}}
{{- with .action }}{{ $parts = append $parts (lower .) }}{{ end -}}
{{- range $code, $action := .codes }}{{ $parts = append $parts (printf "%s:%s" (lower $action) $code) }}{{ end -}}
{{- join ":" $parts -}}
{{- end }}

{{/* Authentication settings. */}}
{{- define "svc.controller.env.access" -}}
{{- $part := .Values.controller -}}
{{- $tls := not (empty $part.tls.existingSecret) -}}
{{- include "svc.env" (dict
  "SVC_TLS_CERT" (ternary "/etc/svc/tls/tls.crt" "" $tls)
  "SVC_TLS_KEY" (ternary "/etc/svc/tls/tls.key" "" $tls)
  "SVC_TLS_CLIENT_CA" (ternary "" "/etc/svc/client-ca/ca.crt" (empty $part.tls.clientCa.existingSecret))
  "SVC_CONSOLE_DISABLED" (ternary "" "true" $part.console.enabled)
  "SVC_CONSOLE_OIDC_ISSUER" $part.console.oidc.issuer
  "SVC_CONSOLE_OIDC_CLIENT_ID" $part.console.oidc.clientId
  "SVC_CONSOLE_OIDC_SCOPE" $part.console.oidc.scope
  "SVC_CONSOLE_OIDC_AUDIENCE" $part.console.oidc.audience
  "SVC_CONSOLE_UPLOAD_ORIGIN" (join "," $part.console.uploadOrigins)
  "SVC_FLEET_TENANT" .Values.auth.fleetTenant) }}
{{- /* Also set to "false": otherwise extraEnvFrom could set it. */}}
- name: SVC_AUTH_DISABLED
  value: {{ not .Values.auth.enabled | quote }}
{{- if .Values.auth.enabled }}
{{- include "svc.controller.env.auth" . }}
{{- end }}
{{- end }}

{{- define "svc.controller.env.auth" -}}
{{- $auth := .Values.auth -}}
{{- $source := include "svc.tenantsSource" . -}}
{{- include "svc.env" (dict
  "SVC_AUTH_CLOCK_SKEW" $auth.clockSkew
  "SVC_AUTH_ALLOW_HTTP" (ternary "true" "" $auth.allowHttp)) }}
{{- if eq $source "provider" }}
{{- include "svc.env" (dict
  "SVC_JWKS_ENDPOINT" $auth.jwksEndpoint
  "SVC_AUTH_ISSUER" $auth.issuer
  "SVC_AUTH_AUDIENCE" $auth.audience
  "SVC_AUTH_TENANT_CLAIM" $auth.tenantClaim
  "SVC_AUTH_ROLES_CLAIM" $auth.rolesClaim) }}
{{- else if eq $source "file" }}
{{- include "svc.env" (dict "SVC_TENANTS_FILE" "/etc/svc/tenants/tenants.yaml") }}
{{- else }}
{{- include "svc.env" (dict "SVC_TENANTS_SOURCE" "kubernetes") }}
{{- end }}
{{- end }}
