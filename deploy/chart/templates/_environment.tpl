{{/*
Environment variables that values set. Neither extraEnv nor extraArgs may set them again: the last variable would win, and
a flag would win over any variable.
*/}}

{{/* The variables of all processes, with the value that sets each, as JSON. A leading dot stands for the part's own values. */}}
{{- define "svc.variables.common" -}}
{{- dict
  "SVC_HOST" "listenAddress"
  "SVC_PORT" "the chart, to 8080, where its Services lead to"
  "SVC_GRPC_PORT" "the chart, to 9090, where its Services lead to"
  "SVC_METRICS_PORT" "the chart, to 9464, where its Services lead to"
  "SVC_LOG_LEVEL" ".log.level"
  "SVC_LOG_FORMAT" ".log.format"
  "SVC_DRAIN_TIMEOUT" ".drainTimeout"
  "SVC_SCORE_TIMEOUT" ".scoreTimeout"
  "SVC_OTLP_ENDPOINT" "tracing.otlpEndpoint"
  "SVC_TRACE_SAMPLE" "tracing.sample"
  "SVC_MEDIA_ROOT" "media.roots, of the scoring server server.mediaRoots"
  "NODE_EXTRA_CA_CERTS" "extraCa" | toJson -}}
{{- end }}

{{- define "svc.variables.controller" -}}
{{- dict
  "SVC_DATABASE_URL" "database.existingSecret"
  "SVC_ALLOWED_HOSTS" "controller.allowedHosts"
  "OWN_ADDRESS" "the chart, for controller.allowedHosts"
  "SVC_REQUEST_TIMEOUT" "controller.requestTimeout"
  "SVC_UI_TRY_IT_OUT" "controller.uiTryItOut"
  "SVC_LEASE" "controller.lease"
  "SVC_SEGMENT_SECONDS" "controller.segmentSeconds"
  "SVC_WORST_STILLS" "controller.worstStills"
  "SVC_PROBE_MEDIA" "controller.probeMedia"
  "SVC_RETENTION" "controller.retention"
  "SVC_RESULTS_STORAGE" "controller.resultsStorage"
  "SVC_TENANT_UPLOADS" "controller.uploads.tenantFiles"
  "SVC_TENANT_UPLOAD_SIZE" "controller.uploads.tenantSize"
  "SVC_UPLOAD_RETENTION" "controller.uploads.retention"
  "SVC_CONSOLE_UPLOAD_ORIGIN" "controller.console.uploadOrigins"
  "SVC_DEFAULT_MODEL" "controller.defaultModels"
  "SVC_FINDINGS" "controller.findings"
  "SVC_TENANT_JOBS_QUEUED" "controller.limits.jobsQueued"
  "SVC_TENANT_SEGMENTS_RUNNING" "controller.limits.segmentsRunning"
  "SVC_TENANT_SUBMITS_PER_SECOND" "controller.limits.submitsPerSecond"
  "SVC_TENANT_WEIGHT" "controller.limits.weight"
  "SVC_AUDIT_LOG" "controller.audit.log"
  "SVC_AUDIT_RETENTION" "controller.audit.retention"
  "SVC_TLS_CERT" "controller.tls.existingSecret"
  "SVC_TLS_KEY" "controller.tls.existingSecret"
  "SVC_TLS_CLIENT_CA" "controller.tls.clientCa"
  "SVC_CONSOLE_DISABLED" "controller.console.enabled"
  "SVC_CONSOLE_OIDC_ISSUER" "controller.console.oidc.issuer"
  "SVC_CONSOLE_OIDC_CLIENT_ID" "controller.console.oidc.clientId"
  "SVC_CONSOLE_OIDC_SCOPE" "controller.console.oidc.scope"
  "SVC_CONSOLE_OIDC_AUDIENCE" "controller.console.oidc.audience"
  "SVC_FLEET_TENANT" "auth.fleetTenant"
  "SVC_AUTH_DISABLED" "auth.enabled"
  "SVC_AUTH_CLOCK_SKEW" "auth.clockSkew"
  "SVC_AUTH_ALLOW_HTTP" "auth.allowHttp"
  "SVC_JWKS_ENDPOINT" "auth.jwksEndpoint"
  "SVC_AUTH_ISSUER" "auth.issuer"
  "SVC_AUTH_AUDIENCE" "auth.audience"
  "SVC_AUTH_TENANT_CLAIM" "auth.tenantClaim"
  "SVC_AUTH_ROLES_CLAIM" "auth.rolesClaim"
  "SVC_TENANTS_FILE" "auth.tenantsFile"
  "SVC_TENANTS_SOURCE" "auth.tenantsSource" | toJson -}}
{{- end }}

{{- define "svc.variables.node" -}}
{{- dict
  "SVC_NAME" "the chart, to the pod's name"
  "SVC_CONTROLLER" "nodes.controller"
  "SVC_SLOTS" ".slots"
  "SVC_THREADS" ".threads"
  "SVC_VMAF_BINARY" ".vmafBinary"
  "SVC_MODEL_DIR" ".modelDir"
  "SVC_MEDIA_CACHE" ".mediaCache"
  "SVC_MEDIA_CACHE_SIZE" ".mediaCache.size"
  "SVC_TLS" "nodes.tls.enabled"
  "SVC_TLS_CA" "nodes.tls.ca"
  "SVC_TLS_CERT" "nodes.tls.clientCertificate"
  "SVC_TLS_KEY" "nodes.tls.clientCertificate"
  "SVC_TOKEN_FILE" "nodes.credentials.token"
  "SVC_OIDC_TOKEN_URL" "nodes.credentials.oidc.tokenUrl"
  "SVC_OIDC_CLIENT_ID" "nodes.credentials.oidc.clientId"
  "SVC_OIDC_CLIENT_SECRET_FILE" "nodes.credentials.oidc.existingSecret"
  "SVC_OIDC_SCOPE" "nodes.credentials.oidc.scope"
  "SVC_OIDC_AUDIENCE" "nodes.credentials.oidc.audience" | toJson -}}
{{- end }}

{{- define "svc.variables.migration" -}}
{{- dict
  "SVC_DATABASE_URL" "database.existingSecret"
  "NODE_EXTRA_CA_CERTS" "extraCa" | toJson -}}
{{- end }}

{{- define "svc.variables.server" -}}
{{- dict
  "SVC_ALLOWED_HOSTS" "server.allowedHosts"
  "OWN_ADDRESS" "the chart, for server.allowedHosts"
  "SVC_REQUEST_TIMEOUT" "server.requestTimeout"
  "SVC_UI_TRY_IT_OUT" "server.uiTryItOut"
  "SVC_CONCURRENCY" "server.concurrency"
  "SVC_THREADS" "server.threads"
  "SVC_VMAF_BINARY" "server.vmafBinary"
  "SVC_MODEL_DIR" "server.modelDir" | toJson -}}
{{- end }}

{{/* (list $ "controller" "controller" {…}): kind of the part, its path in the values, the part. A flag is named after its variable. */}}
{{- define "svc.faults.extra" -}}
{{- $kind := index . 1 -}}
{{- $path := index . 2 -}}
{{- $set := include (printf "svc.variables.%s" $kind) (first .) | fromJson -}}
{{- if ne $kind "migration" }}{{ $set = merge $set (include "svc.variables.common" (first .) | fromJson) }}{{ end }}
{{- range $at, $one := (last .).extraEnv }}
{{- with get $set $one.name }}
{{ $path }}.extraEnv[{{ $at }}] is {{ $one.name }}, which is set by {{ hasPrefix "." . | ternary $path "" }}{{ . }}. Remove it.
{{- end }}
{{- end }}
{{- range $at, $one := (last .).extraArgs }}
{{- $flag := regexFind "^--[^=]*" $one }}
{{- with get $set (printf "SVC_%s" ($flag | trimPrefix "--" | upper | replace "-" "_")) }}
{{ $path }}.extraArgs[{{ $at }}] is {{ $flag }}, which is set by {{ hasPrefix "." . | ternary $path "" }}{{ . }}. Remove it.
{{- end }}
{{- end }}
{{- end }}

{{- define "svc.faults.environment" -}}
{{- $v := .Values -}}
{{- range $kind := list "controller" "migration" "server" }}
{{- include "svc.faults.extra" (list $ $kind $kind (get $v $kind)) }}
{{- end }}
{{- include "svc.faults.extra" (list . "node" "nodes.defaults" $v.nodes.defaults) }}
{{- range $name, $pool := $v.nodes.pools }}
{{- include "svc.faults.extra" (list $ "node" (printf "nodes.pools.%s" $name) ($pool | default dict)) }}
{{- end }}
{{- end }}
